// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC4626State} from "../interfaces/IERC4626State.sol";

/// @title Erc4626Lens
/// @notice Reads ERC-4626 vaults; never deployed.
contract Erc4626Lens {
    struct State {
        uint256 totalAssets;
        uint256 totalSupply;
        uint256 maxDeposit;
        /// Assets of 10^27 shares, which some vaults use as their rate; zero if the vault does not report it.
        uint256 rate;
        /// The vault's previews for a sample of assets and of shares.
        uint256 sampleAssets;
        uint256 quotedShares;
        uint256 sampleShares;
        uint256 quotedAssets;
    }

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
