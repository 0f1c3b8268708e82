// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMaverickV2Pool} from "../../interfaces/IMaverickV2.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";

/// @title MaverickV2
/// @notice Pools that are paid before they swap, and take the amount they were paid as an argument.
library MaverickV2 {
    /// @notice opcode, flags (bit 5: token A is sold), amount, tokenIn, pool 20, address.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade.amount, trade.tokenIn, next) = Program.readInput(at, flags);
        (trade.pool, next) = Program.readAddress(next);
        (trade.to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);
        uint256 amount = Inputs.payMeasured(flags, trade);
        bool tokenAIn = Program.zeroForOne(flags);
        IMaverickV2Pool.SwapParams memory params = IMaverickV2Pool.SwapParams({
            amount: amount,
            tokenAIn: tokenAIn,
            exactOutput: false,
            tickLimit: tokenAIn ? type(int32).max : type(int32).min
        });
        (uint256 consumed,) = IMaverickV2Pool(trade.pool).swap(trade.to, params, "");
        // The pool keeps what it does not consume.
        Inputs.requireWhole(trade.pool, consumed, amount);
    }
}
