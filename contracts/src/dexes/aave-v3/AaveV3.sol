// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAaveV3Pool} from "../../interfaces/IAaveV3.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title AaveV3
/// @notice An asset supplied to a market of Aave for its aToken, or withdrawn for it.
library AaveV3 {
    using Transfers for address;

    /// @notice opcode, flags (bit 5: supply), amount, tokenIn, pool 20, tokenOut 20, address. The pool is the market.
    /// @dev aTokens round where they move: what arrived is withdrawn, which may be a unit more or less than was sent.
    /// @return next Where the step ends.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade, next) = Inputs.readTrade(at, flags, end);
        uint256 amount = Inputs.take(flags, trade.amount, trade.tokenIn);
        if (Program.zeroForOne(flags)) {
            trade.tokenIn.approve(trade.pool, amount);
            IAaveV3Pool(trade.pool).supply(trade.tokenIn, amount, trade.to, 0);
            trade.tokenIn.clearApproval(trade.pool);
        } else {
            IAaveV3Pool(trade.pool).withdraw(trade.tokenOut, amount, trade.to);
        }
    }
}
