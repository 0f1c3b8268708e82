// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBalancerV2PoolState, IBalancerV2RateProvider} from "../interfaces/IBalancerV2PoolState.sol";
import {IBalancerV2VaultState} from "../interfaces/IBalancerV2VaultState.sol";

/// @title BalancerV2Lens
/// @notice Reads weighted and stable pools of Balancer V2; never deployed.
contract BalancerV2Lens {
    struct State {
        uint256[] balances;
        /// Scaling factors, with the rates that a swap in this block would use.
        uint256[] scaling;
        /// 18 decimals.
        uint256 swapFee;
        bool paused;
        /// Empty for a stable pool.
        uint256[] weights;
        /// Amplification times 1000; zero for a weighted pool.
        uint256 amp;
        /// Index of the pool's own share in its tokens; the number of tokens if it is not included.
        uint256 bptIndex;
        /// True if the pool reports a version; only the first release does not.
        bool versioned;
        /// True if rates, weights, or the amplification can change without a log of the vault.
        bool moves;
        /// True while the owner has suspended swaps.
        bool suspended;
    }

    /// @notice Returns the state of a pool. Reverts if the pool is neither weighted nor stable.
    function read(IBalancerV2VaultState vault, bytes32 id) external view returns (State memory state) {
        IBalancerV2PoolState pool = IBalancerV2PoolState(address(bytes20(id)));
        address[] memory tokens;
        (tokens, state.balances,) = vault.getPoolTokens(id);
        state.scaling = pool.getScalingFactors();
        state.moves = _updateRates(address(pool), tokens, state.scaling);
        state.swapFee = pool.getSwapFeePercentage();
        (state.paused,,) = pool.getPausedState();
        state.bptIndex = state.balances.length;
        try pool.version() returns (string memory) {
            state.versioned = true;
        } catch {}
        try pool.getNormalizedWeights() returns (uint256[] memory weights) {
            state.weights = weights;
            try pool.getSwapEnabled() returns (bool enabled) {
                (state.moves, state.suspended) = (true, !enabled);
            } catch {}
        } catch {
            bool ramping;
            (state.amp, ramping,) = pool.getAmplificationParameter();
            if (ramping) state.moves = true;
            try pool.getBptIndex() returns (uint256 index) {
                state.bptIndex = index;
            } catch {}
        }
    }

    /// @dev Updates `scaling` with current rates if the cached rates have expired, like a swap. Returns true if the
    ///   scaling contains cached rates.
    function _updateRates(address pool, address[] memory tokens, uint256[] memory scaling)
        private
        view
        returns (bool cached)
    {
        (bool ok, bytes memory data) = pool.staticcall(abi.encodeCall(IBalancerV2PoolState.getRateProviders, ()));
        if (!ok || data.length < 64) return false;
        address[] memory providers = abi.decode(data, (address[]));
        for (uint256 i = 0; i < providers.length && i < scaling.length; ++i) {
            if (providers[i] == address(0)) continue;
            (uint256 rate, uint256 expires) = _rateCache(pool, tokens[i]);
            if (rate == 0) continue;
            cached = true;
            if (block.timestamp <= expires) continue;
            // The factor is a power of ten times the rate.
            scaling[i] = scaling[i] / rate * IBalancerV2RateProvider(providers[i]).getRate();
        }
    }

    /// @dev Returns the cached rate and its expiry. Zeros if the pool does not cache a rate of the token, such as a
    ///   weighted pool, which uses rates only for fees.
    function _rateCache(address pool, address token) private view returns (uint256 rate, uint256 expires) {
        (bool ok, bytes memory data) = pool.staticcall(abi.encodeCall(IBalancerV2PoolState.getTokenRateCache, (token)));
        if (!ok) (ok, data) = pool.staticcall(abi.encodeCall(IBalancerV2PoolState.getPriceRateCache, (token)));
        if (!ok || data.length < 96) return (0, 0);
        // The rate is first, and its expiry is last.
        assembly ("memory-safe") {
            rate := mload(add(data, 0x20))
            expires := mload(add(data, mload(data)))
        }
    }
}
