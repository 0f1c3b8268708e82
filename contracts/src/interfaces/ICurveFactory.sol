// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Functions of Curve's pool factories.
interface ICurveFactory {
    /// @return pool Pool number `index`, from zero, of those that trade the two coins; zero after the last one.
    function find_pool_for_coins(address from, address to, uint256 index) external view returns (address pool);
    /// @return types Type of each coin: 0 standard, 1 with a rate from an oracle, 2 rebasing, 3 share of an ERC-4626
    ///   vault.
    function get_pool_asset_types(address pool) external view returns (uint8[] memory types);
}
