// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Curve's list of its own registries.
interface ICurveAddressProvider {
    function get_address(uint256 id) external view returns (address);
}
