// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBalancerV3VaultState} from "../interfaces/IBalancerV3VaultState.sol";

/// @title BalancerV3BufferLens
/// @notice Finds and reads buffers of ERC-4626 shares in the Balancer V3 vault; never deployed.
contract BalancerV3BufferLens {
    struct State {
        /// True while the vault or its buffers are paused.
        bool closed;
        uint256 underlying;
        uint256 wrapped;
    }

    /// @notice Finds the tokens that are shares with a buffer.
    /// @return assets Asset of each token that is a share with a buffer; zero for other tokens.
    function find(IBalancerV3VaultState vault, address[] calldata tokens) external view returns (address[] memory assets) {
        assets = new address[](tokens.length);
        for (uint256 i; i < tokens.length; ++i) {
            try vault.getBufferAsset(tokens[i]) returns (address asset) {
                assets[i] = asset;
            } catch {}
        }
    }

    /// @notice Returns the balances of the buffer of `wrapped`, in base units.
    function read(IBalancerV3VaultState vault, address wrapped) external view returns (State memory state) {
        state.closed = vault.isVaultPaused() || vault.areBuffersPaused();
        (state.underlying, state.wrapped) = vault.getBufferBalance(wrapped);
    }
}
