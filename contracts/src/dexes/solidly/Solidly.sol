// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ISolidlyPair} from "../../interfaces/ISolidlyPair.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title Solidly
/// @notice Swaps in volatile and stable pairs, which are paid before they swap and compute their output.
library Solidly {
    using Transfers for address;

    /// @notice opcode, flags, amount, tokenIn, pool 20, address.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        address tokenIn;
        address pool;
        address to;
        (tokenIn, pool, to, next) = Inputs.prepay(at, flags, end);

        bool zeroForOne = Program.zeroForOne(flags);
        (uint256 reserve0, uint256 reserve1,) = ISolidlyPair(pool).getReserves();
        uint256 amountIn = tokenIn.balanceOf(pool) - (zeroForOne ? reserve0 : reserve1);
        uint256 amountOut = ISolidlyPair(pool).getAmountOut(amountIn, tokenIn);
        ISolidlyPair(pool).swap(zeroForOne ? 0 : amountOut, zeroForOne ? amountOut : 0, to, "");
    }
}
