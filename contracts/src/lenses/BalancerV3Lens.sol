// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBalancerV3PoolState} from "../interfaces/IBalancerV3PoolState.sol";
import {IBalancerV3VaultState} from "../interfaces/IBalancerV3VaultState.sol";
import {IBalancerV3RangePool, IBalancerV3SurgeHook} from "./IBalancerV3Kinds.sol";

/// @title BalancerV3Lens
/// @notice Reads Balancer V3 pools: weighted, stable, Gyro, and reCLAMM; never deployed.
contract BalancerV3Lens {
    enum Kind {
        WEIGHTED,
        STABLE,
        GYRO_2CLP,
        GYRO_ECLP,
        RECLAMM
    }

    struct State {
        uint256[] balances;
        /// Powers of ten that bring balances to 18 decimals.
        uint256[] scaling;
        /// Rates with 18 decimals.
        uint256[] rates;
        uint256 swapFee;
        /// Part of the swap fee that is taken out of the pool; zero in recovery mode.
        uint256 aggregateFee;
        /// True if the pool is not initialized, or it or the vault is paused.
        bool closed;
        /// True if a hook affects swaps in other ways than by the fee of `surge`.
        bool hooked;
        Kind kind;
        /// Weighted pools only.
        uint256[] weights;
        /// Amplification of a stable pool, times 1000.
        uint256 amp;
        /// True while the amplification changes with time.
        bool ramping;
        /// True if a hook raises the fee with imbalance.
        bool surges;
        /// Threshold of the imbalance, and maximum fee, with 18 decimals.
        uint256[2] surge;
        /// Slopes of an E-CLP's imbalance below and above the peak; zero if the hook has none.
        uint256[2] slopes;
        /// Roots of alpha and beta of a 2-CLP.
        uint256[2] gyro;
        /// Parameters of an E-CLP.
        int256[5] eclp;
        int256[9] derived;
        IBalancerV3RangePool.ReclammData reclamm;
        /// Current virtual balances of a reCLAMM as it reports them, and the block's timestamp.
        uint256[2] virtualNow;
        uint256 timestamp;
        /// Pool's quotes without fee, 18 decimals: a hundredth of token 0 in token 1, and in reverse. Zero if it
        /// reverts, as some pools do for every caller except the vault.
        uint256[2] samples;
        uint256[2] quotes;
        /// Pool's quote for balances that distinguish its releases; zero if it reverts.
        uint256 probe;
    }

    /// @notice Returns the state of a pool. Only `swapFee`, `aggregateFee`, and `closed` are set if the pool is closed,
    ///   and no balances if it is hooked.
    function read(IBalancerV3VaultState vault, IBalancerV3PoolState pool) external view returns (State memory state) {
        IBalancerV3VaultState.PoolConfig memory config = vault.getPoolConfig(address(pool));
        state.swapFee = config.staticSwapFeePercentage;
        if (!config.isPoolInRecoveryMode) state.aggregateFee = config.aggregateSwapFeePercentage;
        state.closed = !config.isPoolInitialized || config.isPoolPaused || vault.isVaultPaused();
        if (state.closed) return state;
        IBalancerV3VaultState.HooksConfig memory hooks = vault.getHooksConfig(address(pool));
        state.hooked = hooks.enableHookAdjustedAmounts || hooks.shouldCallBeforeSwap || hooks.shouldCallAfterSwap;
        state.surges = hooks.shouldCallComputeDynamicSwapFee;
        if (state.surges && !state.hooked) {
            try IBalancerV3SurgeHook(hooks.hooksContract).getSurgeThresholdPercentage(address(pool)) returns (uint256 from) {
                state.surge =
                    [from, IBalancerV3SurgeHook(hooks.hooksContract).getMaxSurgeFeePercentage(address(pool))];
            } catch {
                state.hooked = true;
            }
            try IBalancerV3SurgeHook(hooks.hooksContract).getImbalanceSlopes(address(pool)) returns (uint256 below, uint256 above) {
                state.slopes = [below, above];
            } catch {}
        }
        if (state.hooked) return state;

        IBalancerV3VaultState.PoolData memory data = vault.getPoolData(address(pool));
        state.balances = data.balancesRaw;
        state.scaling = data.decimalScalingFactors;
        state.rates = data.tokenRates;
        _readKind(pool, state);
        if (state.kind == Kind.RECLAMM) return state;
        uint256[] memory live = data.balancesLiveScaled18;
        state.samples = [live[0] / 100, live[1] / 100];
        state.quotes = [_quote(pool, live, state.samples[0], 0, 1), _quote(pool, live, state.samples[1], 1, 0)];
        if (state.kind < Kind.GYRO_2CLP) state.probe = _probe(pool, state.weights, live.length);
    }

    /// @dev Determines the kind of a pool from its getters, and sets the fields of this kind.
    function _readKind(IBalancerV3PoolState pool, State memory state) private view {
        try pool.getNormalizedWeights() returns (uint256[] memory weights) {
            state.weights = weights;
            return;
        } catch {}
        try pool.getAmplificationParameter() returns (uint256 amp, bool ramping, uint256) {
            (state.kind, state.amp, state.ramping) = (Kind.STABLE, amp, ramping);
            return;
        } catch {}
        try IBalancerV3RangePool(address(pool)).getGyro2CLPPoolImmutableData() returns (IBalancerV3RangePool.Gyro2ClpData memory data) {
            (state.kind, state.gyro) = (Kind.GYRO_2CLP, [data.sqrtAlpha, data.sqrtBeta]);
            return;
        } catch {}
        try IBalancerV3RangePool(address(pool)).getECLPParams() returns (int256[5] memory eclp, int256[9] memory derived) {
            (state.kind, state.eclp, state.derived) = (Kind.GYRO_ECLP, eclp, derived);
            return;
        } catch {}
        state.kind = Kind.RECLAMM;
        state.reclamm = IBalancerV3RangePool(address(pool)).getReClammPoolDynamicData();
        (state.virtualNow[0], state.virtualNow[1],) = IBalancerV3RangePool(address(pool)).computeCurrentVirtualBalances();
        state.timestamp = block.timestamp;
    }

    /// @dev Returns `State.probe`. A weighted pool sells a small amount of a scarce token with a high weight for an
    ///   abundant one, so that one unit of the scarce token changes the result. A stable pool gets one balance that is
    ///   100,000 times the others.
    function _probe(IBalancerV3PoolState pool, uint256[] memory weights, uint256 count) private view returns (uint256) {
        bool weighted = weights.length != 0;
        uint256 plentiful = weighted && weights[0] < weights[1] ? 0 : 1;
        uint256[] memory balances = new uint256[](count);
        for (uint256 i = 0; i < count; ++i) {
            balances[i] = 1e16;
        }
        balances[plentiful] = weighted ? 1e30 : 1e21;
        try pool.onSwap(
            IBalancerV3PoolState.PoolSwapParams(0, 1e15, balances, 1 - plentiful, plentiful, address(this), "")
        ) returns (uint256 out) {
            return out;
        } catch {
            return 0;
        }
    }

    /// @dev Returns the pool's quote for `amount` of token `i` in token `j`, without the fee; zero if it reverts.
    function _quote(IBalancerV3PoolState pool, uint256[] memory live, uint256 amount, uint256 i, uint256 j)
        private
        view
        returns (uint256)
    {
        try pool.onSwap(IBalancerV3PoolState.PoolSwapParams(0, amount, live, i, j, address(this), "")) returns (
            uint256 out
        ) {
            return out;
        } catch {
            return 0;
        }
    }
}
