// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ILitePsm} from "../../interfaces/ILitePsm.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title LitePsm
/// @notice Swaps a gem and DAI at par and a fee. Purchases are of whole units of the gem: of DAI from the sender only the cost is
///   drawn, and DAI from the Executor worth less than a unit goes to the module.
library LitePsm {
    using Transfers for address;

    uint256 private constant WAD = 1e18;

    /// @notice opcode, flags (bit 5: the gem is sold), amount, tokenIn, pool 20, tokenOut 20, address.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade, next) = Inputs.readTrade(at, flags, end);
        ILitePsm psm = ILitePsm(trade.pool);
        if (Program.zeroForOne(flags)) {
            uint256 amount = Inputs.take(flags, trade.amount, trade.tokenIn);
            trade.tokenIn.approve(trade.pool, amount);
            psm.sellGem(trade.to, amount);
            Inputs.requireSpent(trade.tokenIn, trade.pool);
        } else {
            uint256 amount = Inputs.resolve(flags, trade.amount, trade.tokenIn);
            uint256 factor = psm.to18ConversionFactor();
            uint256 fee = psm.tout();
            // The maximum number of gems with gems × factor × (1 + fee), rounded down, at most the amount.
            uint256 gems = ((amount + 1) * WAD - 1) / (factor * (WAD + fee));
            // Of the sender's own DAI only the cost is drawn.
            if (Program.isPulled(flags)) {
                amount = Inputs.take(flags, gems * factor + gems * factor * fee / WAD, trade.tokenIn);
            }
            trade.tokenIn.approve(trade.pool, amount);
            psm.buyGem(trade.to, gems);
            Inputs.forfeit(trade.tokenIn, trade.pool);
        }
    }
}
