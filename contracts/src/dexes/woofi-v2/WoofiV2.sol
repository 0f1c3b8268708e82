// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IWoofiV2Pool} from "../../interfaces/IWoofiV2.sol";
import {Inputs} from "../../libraries/Inputs.sol";

/// @title WoofiV2
/// @notice A pool of many tokens that is priced by an oracle, told how much it was paid.
library WoofiV2 {
    /// @notice opcode, flags, amount, tokenIn, pool 20, tokenOut 20, address.
    /// @return next Where the step ends.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade, next) = Inputs.readTrade(at, flags, end);
        uint256 amount = Inputs.payMeasured(flags, trade);
        IWoofiV2Pool(trade.pool).swap(trade.tokenIn, trade.tokenOut, amount, 0, trade.to, address(0));
    }
}
