// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAaveV3Pool} from "../../interfaces/IAaveV3.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title AaveV3
/// @notice Supplies an asset to a market of Aave for its aToken, or withdraws it.
library AaveV3 {
    using Transfers for address;

    /// @notice opcode, flags (bit 5: supply), amount, tokenIn, pool 20, tokenOut 20, address. The pool is the market.
    /// @dev aTokens round when they move, so the amount that arrived is withdrawn: up to a unit more or less than was sent.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade, next) = Inputs.readTrade(at, flags, end);
        uint256 amount = Inputs.take(flags, trade.amount, trade.tokenIn);
        if (Program.zeroForOne(flags)) {
            trade.tokenIn.approve(trade.pool, amount);
            IAaveV3Pool(trade.pool).supply(trade.tokenIn, amount, trade.to, 0);
            Inputs.requireSpent(trade.tokenIn, trade.pool);
        } else {
            IAaveV3Pool(trade.pool).withdraw(trade.tokenOut, amount, trade.to);
        }
    }
}
