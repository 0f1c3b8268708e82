// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What this project calls of Curve's pool factories.
interface ICurveFactory {
    /// @return pool The `index`-th one that trades the two coins; zero past the last.
    function find_pool_for_coins(address from, address to, uint256 index) external view returns (address pool);
}
