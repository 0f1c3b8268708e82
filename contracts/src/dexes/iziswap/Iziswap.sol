// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IIziswapPool} from "../../interfaces/IIziswap.sol";
import {IExecutor} from "../../interfaces/IExecutor.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";

/// @title Iziswap
/// @notice Pools that ask for their payment in a callback (uint256 amountX, uint256 amountY, bytes) by two names.
library Iziswap {
    /// @dev Beyond the points of every pool: no limit.
    int24 private constant FARTHEST = 800_001;
    /// @dev swapY2XCallback(uint256,uint256,bytes)
    uint256 private constant PAY_Y = 0xd3e1c284;

    /// @notice opcode, flags (bit 5: the first token is sold), amount, tokenIn, pool 20, address.
    /// @dev `token` is what is paid.
    function read(uint256 at, uint256 flags, uint256 end)
        internal
        view
        returns (address pool, address token, uint256 amount, address to, uint256 next)
    {
        (amount, token, next) = Program.readInput(at, flags);
        (pool, next) = Program.readAddress(next);
        (to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);
        amount = Inputs.resolve(flags, amount, token);
        if (amount > type(uint128).max) revert IExecutor.InvalidStep(flags);
    }

    function swap(address pool, address to, bool sellX, uint256 amount) internal {
        if (sellX) IIziswapPool(pool).swapX2Y(to, uint128(amount), -FARTHEST, "");
        else IIziswapPool(pool).swapY2X(to, uint128(amount), FARTHEST, "");
    }

    /// @notice What the pool that calls back asks for, by the name that it calls.
    function owed() internal pure returns (uint256 amount) {
        assembly ("memory-safe") {
            amount := calldataload(add(4, shl(5, eq(shr(224, calldataload(0)), PAY_Y))))
        }
    }
}
