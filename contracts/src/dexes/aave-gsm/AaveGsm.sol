// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAaveGsm} from "../../interfaces/IAaveGsm.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title AaveGsm
/// @notice Swaps an asset and GHO at a fixed price and a fee. The module trades whole units of the asset: of GHO from the sender
///   only the cost is drawn, and any remainder of less than a unit's worth goes to the module.
library AaveGsm {
    using Transfers for address;

    /// @notice opcode, flags (bit 5: the asset is sold), amount, tokenIn, pool 20, tokenOut 20, address.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade, next) = Inputs.readTrade(at, flags, end);
        IAaveGsm gsm = IAaveGsm(trade.pool);
        if (Program.zeroForOne(flags)) {
            uint256 amount = Inputs.take(flags, trade.amount, trade.tokenIn);
            trade.tokenIn.approve(trade.pool, amount);
            gsm.sellAsset(amount, trade.to);
        } else {
            uint256 amount = Inputs.resolve(flags, trade.amount, trade.tokenIn);
            (uint256 assets, uint256 cost,,) = gsm.getAssetAmountForBuyAsset(amount);
            // Of the sender's own GHO only the cost is drawn.
            if (Program.isPulled(flags)) amount = Inputs.take(flags, cost, trade.tokenIn);
            trade.tokenIn.approve(trade.pool, amount);
            gsm.buyAsset(assets, trade.to);
        }
        Inputs.forfeit(trade.tokenIn, trade.pool);
    }
}
