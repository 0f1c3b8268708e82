// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ILitePsm} from "../../interfaces/ILitePsm.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title LitePsm
/// @notice Maker's exchange of a gem for DAI at par, a fee aside. Buying gems is told in gems: what is less than one unit of
///   those stays with the Executor.
library LitePsm {
    using Transfers for address;

    uint256 private constant WAD = 1e18;

    /// @notice opcode, flags (bit 5: the gem is sold), amount, tokenIn, pool 20, tokenOut 20, address.
    /// @return next Where the step ends.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade, next) = Inputs.readTrade(at, flags, end);
        uint256 amount = Inputs.take(flags, trade.amount, trade.tokenIn);
        ILitePsm psm = ILitePsm(trade.pool);
        trade.tokenIn.approve(trade.pool, amount);
        if (Program.zeroForOne(flags)) {
            psm.sellGem(trade.to, amount);
        } else {
            // The most gems with gems × factor × (1 + tout), rounded down, no more than the amount.
            psm.buyGem(trade.to, ((amount + 1) * WAD - 1) / (psm.to18ConversionFactor() * (WAD + psm.tout())));
        }
        trade.tokenIn.clearApproval(trade.pool);
    }
}
