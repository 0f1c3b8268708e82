// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPsm3} from "../../interfaces/IPsm3.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title Psm3
/// @notice Swaps two of the three tokens of a Spark PSM3.
library Psm3 {
    using Transfers for address;

    /// @notice opcode, flags, amount, tokenIn, pool 20, tokenOut 20, address.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade, next) = Inputs.readTrade(at, flags, end);
        uint256 amount = Inputs.take(flags, trade.amount, trade.tokenIn);
        trade.tokenIn.approve(trade.pool, amount);
        IPsm3(trade.pool).swapExactIn(trade.tokenIn, trade.tokenOut, amount, 0, trade.to, 0);
        Inputs.requireSpent(trade.tokenIn, trade.pool);
    }
}
