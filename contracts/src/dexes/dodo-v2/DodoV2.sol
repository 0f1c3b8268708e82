// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IDodoV2Pool} from "../../interfaces/IDodoV2Pool.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";

/// @title DodoV2
/// @notice Swaps in proactive market makers, which are paid before they swap.
library DodoV2 {
    /// @notice opcode, flags (bit 5: the base token is sold), amount, tokenIn, pool 20, address.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        address pool;
        address to;
        (, pool, to, next) = Inputs.prepay(at, flags, end);
        if (Program.zeroForOne(flags)) IDodoV2Pool(pool).sellBase(to);
        else IDodoV2Pool(pool).sellQuote(to);
    }
}
