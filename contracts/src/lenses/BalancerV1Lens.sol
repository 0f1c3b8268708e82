// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBalancerV1Factory, IBalancerV1Registry, IBalancerV1State} from "../interfaces/IBalancerV1.sol";

/// @title BalancerV1Lens
/// @notice Finds and reads Balancer V1 pools; never deployed.
contract BalancerV1Lens {
    struct Found {
        address pool;
        address[] tokens;
    }

    /// @dev Fee and weights have 18 decimals. Balances are in base units, in the order of the tokens.
    struct State {
        uint256 swapFee;
        uint256[] balances;
        uint256[] weights;
    }

    /// @notice Finds finalized pools of the factory for a pair, without duplicates: the deepest, then the oldest.
    /// @param limit Maximum of each kind, below 32.
    function find(IBalancerV1Registry registry, IBalancerV1Factory factory, address a, address b, uint256 limit)
        external
        view
        returns (Found[] memory found)
    {
        address[] memory best = registry.getBestPoolsWithLimit(a, b, limit);
        address[] memory first = registry.getPoolsWithLimit(a, b, 0, limit);
        found = new Found[](best.length + first.length);
        uint256 count;
        for (uint256 k; k < found.length; ++k) {
            address pool = k < best.length ? best[k] : first[k - best.length];
            bool known;
            for (uint256 seen; seen < count; ++seen) if (found[seen].pool == pool) known = true;
            if (known || !factory.isBPool(pool) || !IBalancerV1State(pool).isFinalized()) continue;
            found[count++] = Found(pool, IBalancerV1State(pool).getFinalTokens());
        }
        assembly ("memory-safe") {
            mstore(found, count)
        }
    }

    /// @notice Returns the state of a pool.
    /// @param tokens In the order of the pool.
    function read(IBalancerV1State pool, address[] calldata tokens) external view returns (State memory state) {
        state.swapFee = pool.getSwapFee();
        state.balances = new uint256[](tokens.length);
        state.weights = new uint256[](tokens.length);
        for (uint256 i; i < tokens.length; ++i) {
            state.balances[i] = pool.getBalance(tokens[i]);
            state.weights[i] = pool.getDenormalizedWeight(tokens[i]);
        }
    }
}
