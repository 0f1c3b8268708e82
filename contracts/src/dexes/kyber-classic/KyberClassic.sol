// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IKyberClassicPair} from "../../interfaces/IKyberClassic.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title KyberClassic
/// @notice Swaps in pairs of amplified reserves, which are paid before they swap. Their fee changes by block, so it is read here.
library KyberClassic {
    using Transfers for address;

    uint256 private constant ONE = 1e18;

    /// @notice opcode, flags (bit 5: the first token is sold), amount, tokenIn, pool 20, address.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        address tokenIn;
        address pool;
        address to;
        (tokenIn, pool, to, next) = Inputs.prepay(at, flags, end);

        bool zeroForOne = Program.zeroForOne(flags);
        uint256 amountOut = _amountOut(pool, tokenIn.balanceOf(pool), zeroForOne);
        IKyberClassicPair(pool).swap(zeroForOne ? 0 : amountOut, zeroForOne ? amountOut : 0, to, "");
    }

    /// @dev Returns the output for the pair's balance above its reserve, rounded as the pair's own check requires.
    function _amountOut(address pool, uint256 held, bool zeroForOne) private view returns (uint256) {
        (uint256 reserveIn, uint256 reserve1, uint256 vReserveIn, uint256 vReserveOut, uint256 fee) =
            IKyberClassicPair(pool).getTradeInfo();
        if (!zeroForOne) (reserveIn, vReserveIn, vReserveOut) = (reserve1, vReserveOut, vReserveIn);
        uint256 kept = (held - reserveIn) * (ONE - fee) / ONE;
        return kept * vReserveOut / (vReserveIn + kept);
    }
}
