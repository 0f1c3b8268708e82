// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAaveGsm} from "../../interfaces/IAaveGsm.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title AaveGsm
/// @notice Aave's exchange of an asset for GHO at a fixed price, a fee aside. Both ways are told in the asset: what is worth less
///   than one unit of it stays with the Executor.
library AaveGsm {
    using Transfers for address;

    /// @notice opcode, flags (bit 5: the asset is sold), amount, tokenIn, pool 20, tokenOut 20, address.
    /// @return next Where the step ends.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade, next) = Inputs.readTrade(at, flags, end);
        uint256 amount = Inputs.take(flags, trade.amount, trade.tokenIn);
        IAaveGsm gsm = IAaveGsm(trade.pool);
        trade.tokenIn.approve(trade.pool, amount);
        if (Program.zeroForOne(flags)) {
            gsm.sellAsset(amount, trade.to);
        } else {
            (uint256 assets,,,) = gsm.getAssetAmountForBuyAsset(amount);
            gsm.buyAsset(assets, trade.to);
        }
        trade.tokenIn.clearApproval(trade.pool);
    }
}
