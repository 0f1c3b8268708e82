// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Calls of this project to Curve's pool factories.
interface ICurveFactory {
    /// @return pool The `index`-th one that trades the two coins; zero past the last.
    function find_pool_for_coins(address from, address to, uint256 index) external view returns (address pool);
    /// @return types By coin: 0 plain, 1 with a rate from an oracle, 2 rebasing, 3 a share of an ERC-4626 vault.
    function get_pool_asset_types(address pool) external view returns (uint8[] memory types);
}
