// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IFluidDexPool} from "../../interfaces/IFluidDex.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title FluidDex
/// @notice Swaps in pools on a lending market, which take their input by allowance, or as value if it is native token.
library FluidDex {
    using Transfers for address;

    /// @notice opcode, flags (bit 5: the first token is sold), amount, tokenIn, pool 20, tokenOut 20, address. Zero is native.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade, next) = Inputs.readTrade(at, flags, end);
        uint256 amount = Inputs.take(flags, trade.amount, trade.tokenIn);
        bool native = trade.tokenIn == address(0);
        if (!native) trade.tokenIn.approve(trade.pool, amount);
        IFluidDexPool(trade.pool).swapIn{value: native ? amount : 0}(Program.zeroForOne(flags), amount, 0, trade.to);
        if (!native) Inputs.requireSpent(trade.tokenIn, trade.pool);
    }
}
