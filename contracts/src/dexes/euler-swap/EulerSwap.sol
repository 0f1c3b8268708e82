// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IEulerSwapPool} from "../../interfaces/IEulerSwap.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title EulerSwap
/// @notice Swaps in pools that pay from an account's lending vaults. They are paid first and take the output as an argument.
library EulerSwap {
    using Transfers for address;

    /// @notice opcode, flags, amount, tokenIn, pool 20, tokenOut 20, address.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade, next) = Inputs.readTrade(at, flags, end);
        address tokenIn = trade.tokenIn;
        if (Program.inputKind(flags) != Program.AT_POOL) Inputs.pay(flags, trade.amount, tokenIn, trade.pool);
        IEulerSwapPool pool = IEulerSwapPool(trade.pool);
        // The pool deposits its whole balance of the input.
        uint256 amountOut = pool.computeQuote(tokenIn, trade.tokenOut, tokenIn.balanceOf(trade.pool), true);
        bool zeroForOne = tokenIn < trade.tokenOut;
        pool.swap(zeroForOne ? 0 : amountOut, zeroForOne ? amountOut : 0, trade.to, "");
    }
}
