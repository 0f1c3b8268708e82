// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPropAmmVenue} from "../../interfaces/IPropAmm.sol";
import {Inputs} from "../../libraries/Inputs.sol";

/// @title PropAmm
/// @notice Swaps at a venue of proprietary market makers, which takes the amount it was paid as an argument.
library PropAmm {
    /// @notice opcode, flags, amount, tokenIn, pool 20, tokenOut 20, address.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade, next) = Inputs.readTrade(at, flags, end);
        uint256 amount = Inputs.payMeasured(flags, trade);
        IPropAmmVenue(trade.pool).swap(trade.tokenIn, trade.tokenOut, amount, 0, trade.to, type(uint256).max);
    }
}
