// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IWoofiV2Pool} from "../../interfaces/IWoofiV2.sol";
import {Inputs} from "../../libraries/Inputs.sol";

/// @title WoofiV2
/// @notice Swaps in a pool of many tokens with oracle prices, which takes the amount it was paid as an argument.
library WoofiV2 {
    /// @notice opcode, flags, amount, tokenIn, pool 20, tokenOut 20, address.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade, next) = Inputs.readTrade(at, flags, end);
        uint256 amount = Inputs.payMeasured(flags, trade);
        IWoofiV2Pool(trade.pool).swap(trade.tokenIn, trade.tokenOut, amount, 0, trade.to, address(0));
    }
}
