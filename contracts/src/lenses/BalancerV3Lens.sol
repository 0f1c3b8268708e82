// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBalancerV3PoolState} from "../interfaces/IBalancerV3PoolState.sol";
import {IBalancerV3VaultState} from "../interfaces/IBalancerV3VaultState.sol";

/// @title BalancerV3Lens
/// @notice Reads weighted and stable pools of Balancer V3; never deployed.
contract BalancerV3Lens {
    struct State {
        uint256[] balances;
        /// Powers of ten that bring balances to 18 decimals.
        uint256[] scaling;
        uint256[] rates;
        uint256 swapFee;
        /// Part of the swap fee that leaves the pool.
        uint256 aggregateFee;
        /// Not initialized, or paused by itself or with the vault.
        bool closed;
        /// Whether a hook has a say in swaps.
        bool hooked;
        /// Empty for a stable pool.
        uint256[] weights;
        /// Times 1000; zero for a weighted pool.
        uint256 amp;
        /// What the pool answers for a hundredth of token 0 in token 1, and the other way round; 18 decimals, without fee.
        uint256[2] samples;
        uint256[2] quotes;
        /// What the pool answers for balances that only tell releases apart; zero where it refuses them.
        uint256 probe;
    }

    function read(IBalancerV3VaultState vault, IBalancerV3PoolState pool) external view returns (State memory state) {
        IBalancerV3VaultState.PoolConfig memory config = vault.getPoolConfig(address(pool));
        state.swapFee = config.staticSwapFeePercentage;
        state.aggregateFee = config.aggregateSwapFeePercentage;
        state.closed = !config.isPoolInitialized || config.isPoolPaused || vault.isVaultPaused();
        if (state.closed) return state;
        IBalancerV3VaultState.HooksConfig memory hooks = vault.getHooksConfig(address(pool));
        state.hooked = hooks.enableHookAdjustedAmounts || hooks.shouldCallComputeDynamicSwapFee
            || hooks.shouldCallBeforeSwap || hooks.shouldCallAfterSwap;
        if (state.hooked) return state;

        IBalancerV3VaultState.PoolData memory data = vault.getPoolData(address(pool));
        state.balances = data.balancesRaw;
        state.scaling = data.decimalScalingFactors;
        state.rates = data.tokenRates;
        try pool.getNormalizedWeights() returns (uint256[] memory weights) {
            state.weights = weights;
        } catch {
            (state.amp,,) = pool.getAmplificationParameter();
        }
        uint256[] memory live = data.balancesLiveScaled18;
        state.samples = [live[0] / 100, live[1] / 100];
        state.quotes = [_quote(pool, live, state.samples[0], 0, 1), _quote(pool, live, state.samples[1], 1, 0)];
        state.probe = _probe(pool, state.weights, live.length);
    }

    /// @dev A weighted pool sells little of a scarce token of the greater weight for a plentiful one, so that one unit more
    /// of the scarce one shows. A stable pool is shown one balance 100,000 times the others.
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

    function _quote(IBalancerV3PoolState pool, uint256[] memory live, uint256 amount, uint256 i, uint256 j)
        private
        view
        returns (uint256)
    {
        return pool.onSwap(IBalancerV3PoolState.PoolSwapParams(0, amount, live, i, j, address(this), ""));
    }
}
