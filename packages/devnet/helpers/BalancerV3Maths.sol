// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ScalingHelpers} from "@balancer-labs/v3-solidity-utils/contracts/helpers/ScalingHelpers.sol";
import {FixedPoint} from "@balancer-labs/v3-solidity-utils/contracts/math/FixedPoint.sol";
import {StableMath} from "@balancer-labs/v3-solidity-utils/contracts/math/StableMath.sol";
import {WeightedMath} from "@balancer-labs/v3-solidity-utils/contracts/math/WeightedMath.sol";

/// Balancer V3's own libraries, called in the order in which its vault and pools call them, for pools of any kind and
/// size.
contract BalancerV3Maths {
    using FixedPoint for uint256;
    using ScalingHelpers for uint256;

    error TooSmall();

    struct Pool {
        uint256[] balances;
        uint256[] scaling;
        uint256[] rates;
        uint256 swapFee;
        /// Empty for a stable pool.
        uint256[] weights;
        uint256 amp;
    }

    function swap(Pool memory pool, uint256 i, uint256 j, uint256 amountIn) external pure returns (uint256) {
        uint256[] memory live = new uint256[](pool.balances.length);
        for (uint256 k = 0; k < live.length; ++k) {
            live[k] = pool.balances[k].toScaled18ApplyRateRoundDown(pool.scaling[k], pool.rates[k]);
        }
        uint256 given = amountIn.toScaled18ApplyRateRoundDown(pool.scaling[i], pool.rates[i]);
        given -= given.mulUp(pool.swapFee);
        uint256 out = pool.weights.length == 0
            ? StableMath.computeOutGivenExactIn(pool.amp, live, i, j, given, StableMath.computeInvariant(pool.amp, live))
            : WeightedMath.computeOutGivenExactIn(live[i], pool.weights[i], live[j], pool.weights[j], given);
        // Minimum amount that the vault trades.
        if (given < 1e6 || out < 1e6) revert TooSmall();
        return out.toRawUndoRateRoundDown(pool.scaling[j], pool.rates[j].computeRateRoundUp());
    }
}
