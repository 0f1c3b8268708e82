// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBalancerV1Pool} from "../../interfaces/IBalancerV1.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title BalancerV1
/// @notice Weighted pools that hold their own tokens: they take their input by allowance and pay their caller.
/// @dev What came is measured, and passed on.
library BalancerV1 {
    using Transfers for address;

    /// @notice opcode, flags, amount, tokenIn, pool 20, tokenOut 20, address.
    /// @return next Where the step ends.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade, next) = Inputs.readTrade(at, flags, end);
        uint256 amount = Inputs.take(flags, trade.amount, trade.tokenIn);
        uint256 before = trade.tokenOut.balanceOf(address(this));
        trade.tokenIn.approve(trade.pool, amount);
        IBalancerV1Pool(trade.pool).swapExactAmountIn(trade.tokenIn, amount, trade.tokenOut, 0, type(uint256).max);
        trade.tokenIn.clearApproval(trade.pool);
        trade.tokenOut.passOn(trade.to, trade.tokenOut.balanceOf(address(this)) - before);
    }
}
