// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBalancerV2PoolState} from "../interfaces/IBalancerV2PoolState.sol";
import {IBalancerV2VaultState} from "../interfaces/IBalancerV2VaultState.sol";

/// @title BalancerV2Lens
/// @notice Reads weighted and stable pools of Balancer V2; never deployed.
contract BalancerV2Lens {
    struct State {
        uint256[] balances;
        uint256[] scaling;
        uint256 swapFee;
        bool paused;
        /// Empty for a stable pool.
        uint256[] weights;
        /// Times 1000; zero for a weighted pool.
        uint256 amp;
        /// Index of the pool's own share among its tokens; the number of tokens if it is not one of them.
        uint256 bptIndex;
        /// True if the pool reports a version; only the first release does not.
        bool versioned;
    }

    function read(IBalancerV2VaultState vault, bytes32 id) external view returns (State memory state) {
        IBalancerV2PoolState pool = IBalancerV2PoolState(address(bytes20(id)));
        (, state.balances,) = vault.getPoolTokens(id);
        state.scaling = pool.getScalingFactors();
        state.swapFee = pool.getSwapFeePercentage();
        (state.paused,,) = pool.getPausedState();
        state.bptIndex = state.balances.length;
        try pool.version() returns (string memory) {
            state.versioned = true;
        } catch {}
        try pool.getNormalizedWeights() returns (uint256[] memory weights) {
            state.weights = weights;
        } catch {
            (state.amp,,) = pool.getAmplificationParameter();
            try pool.getBptIndex() returns (uint256 index) {
                state.bptIndex = index;
            } catch {}
        }
    }
}
