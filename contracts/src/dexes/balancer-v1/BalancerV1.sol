// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBalancerV1Pool} from "../../interfaces/IBalancerV1.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title BalancerV1
/// @notice Swaps in weighted pools that hold their own tokens, take their input by allowance, and pay their caller.
/// @dev Measures the output and forwards it.
library BalancerV1 {
    using Transfers for address;

    /// @notice opcode, flags, amount, tokenIn, pool 20, tokenOut 20, address.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade, next) = Inputs.readTrade(at, flags, end);
        uint256 amount = Inputs.take(flags, trade.amount, trade.tokenIn);
        uint256 before = trade.tokenOut.balanceOf(address(this));
        trade.tokenIn.approve(trade.pool, amount);
        IBalancerV1Pool(trade.pool).swapExactAmountIn(trade.tokenIn, amount, trade.tokenOut, 0, type(uint256).max);
        Inputs.requireSpent(trade.tokenIn, trade.pool);
        trade.tokenOut.passOn(trade.to, trade.tokenOut.balanceOf(address(this)) - before);
    }
}
