// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ILiquidityBookPair} from "../../interfaces/ILiquidityBookPair.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";

/// @title LiquidityBook
/// @notice Swaps in pairs of price bins, which are paid before they swap.
library LiquidityBook {
    /// @notice opcode, flags (bit 5: token X is sold), amount, tokenIn, pool 20, address.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        address pool;
        address to;
        (, pool, to, next) = Inputs.prepay(at, flags, end);
        ILiquidityBookPair(pool).swap(Program.zeroForOne(flags), to);
    }
}
