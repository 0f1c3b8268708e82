// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPropAmmVenue} from "../../interfaces/IPropAmm.sol";
import {Inputs} from "../../libraries/Inputs.sol";

/// @title PropAmm
/// @notice A venue of proprietary market makers behind their common interface, told how much it was paid.
library PropAmm {
    /// @notice opcode, flags, amount, tokenIn, pool 20, tokenOut 20, address.
    /// @return next End of the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade, next) = Inputs.readTrade(at, flags, end);
        uint256 amount = Inputs.payMeasured(flags, trade);
        IPropAmmVenue(trade.pool).swap(trade.tokenIn, trade.tokenOut, amount, 0, trade.to, type(uint256).max);
    }
}
