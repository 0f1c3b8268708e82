// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ISyncswapPool, ISyncswapVault} from "../../interfaces/ISyncswap.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";

/// @title Syncswap
/// @notice Swaps in pools that are paid before they swap, most of them in a shared vault.
library Syncswap {
    /// @dev Withdraw mode: pays native token wrapped.
    uint8 private constant AS_TOKEN = 2;

    /// @notice opcode, flags, amount, tokenIn, pool 20, vault 20 (zero where the pool holds its tokens itself), address.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        uint256 amount;
        address tokenIn;
        address pool;
        address vault;
        address to;
        (amount, tokenIn, next) = Program.readInput(at, flags);
        (pool, next) = Program.readAddress(next);
        (vault, next) = Program.readAddress(next);
        (to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);

        if (vault == address(0)) {
            Inputs.pay(flags, amount, tokenIn, pool);
        } else {
            Inputs.pay(flags, amount, tokenIn, vault);
            ISyncswapVault(vault).deposit(tokenIn, pool);
        }
        ISyncswapPool(pool).swap(abi.encode(tokenIn, to, AS_TOKEN), address(0), address(0), "");
    }
}
