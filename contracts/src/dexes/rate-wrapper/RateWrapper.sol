// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRateWrapper} from "../../interfaces/IRateWrapper.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title RateWrapper
/// @notice Wrappers of rebasing tokens, as wstETH is of stETH. They pay their caller, so the output is measured and forwarded.
library RateWrapper {
    using Transfers for address;

    /// @notice opcode, flags (bit 5: wrap), amount, tokenIn, tokenOut 20, address. The wrapper is one of the tokens.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        address tokenIn;
        address tokenOut;
        address to;
        uint256 amount;
        (amount, tokenIn, tokenOut, to, next) = Inputs.takePair(at, flags, end);
        uint256 before = tokenOut.balanceOf(address(this));
        if (Program.zeroForOne(flags)) {
            tokenIn.approve(tokenOut, amount);
            IRateWrapper(tokenOut).wrap(amount);
            Inputs.requireSpent(tokenIn, tokenOut);
        } else {
            IRateWrapper(tokenIn).unwrap(amount);
        }
        tokenOut.passOn(to, tokenOut.balanceOf(address(this)) - before);
    }
}
