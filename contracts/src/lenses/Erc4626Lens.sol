// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC4626State} from "../interfaces/IERC4626State.sol";

/// @title Erc4626Lens
/// @notice Reads ERC-4626 vaults; never deployed.
contract Erc4626Lens {
    struct State {
        uint256 totalAssets;
        uint256 totalSupply;
        /// Maximum assets that the vault accepts from any account.
        uint256 maxDeposit;
        /// Assets of 10^27 shares, which some vaults use as their rate; zero if the vault does not report it.
        uint256 rate;
        /// An amount of assets, and the shares that `previewDeposit` returns for it.
        uint256 sampleAssets;
        uint256 quotedShares;
        /// A number of shares, and the assets that `previewRedeem` returns for it.
        uint256 sampleShares;
        uint256 quotedAssets;
    }

    /// @notice Returns the state of a vault.
    function read(IERC4626State vault) external view returns (State memory state) {
        state.totalAssets = vault.totalAssets();
        state.totalSupply = vault.totalSupply();
        state.maxDeposit = vault.maxDeposit(address(this));
        try vault.convertToAssets(1e27) returns (uint256 rate) {
            state.rate = rate;
        } catch {}
        // Large enough that one virtual share or asset changes the result.
        state.sampleAssets = (state.totalAssets << 20) + 1;
        state.sampleShares = state.totalSupply / 3 + 1;
        state.quotedShares = vault.previewDeposit(state.sampleAssets);
        state.quotedAssets = vault.previewRedeem(state.sampleShares);
    }
}
