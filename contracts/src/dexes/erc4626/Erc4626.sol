// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC4626} from "../../interfaces/IERC4626.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title Erc4626
/// @notice Deposits into a vault and redeems its shares.
library Erc4626 {
    using Transfers for address;

    /// @notice opcode, flags (bit 5: deposit), amount, tokenIn, tokenOut 20, address. The vault is one of the tokens.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        address tokenIn;
        address tokenOut;
        address to;
        uint256 amount;
        (amount, tokenIn, tokenOut, to, next) = Inputs.takePair(at, flags, end);
        if (Program.zeroForOne(flags)) {
            tokenIn.approve(tokenOut, amount);
            IERC4626(tokenOut).deposit(amount, to);
            Inputs.requireSpent(tokenIn, tokenOut);
        } else {
            IERC4626(tokenIn).redeem(amount, to, address(this));
        }
    }
}
