// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Curve's list of its registries and factories.
interface ICurveAddressProvider {
    /// @notice Returns the contract at a position of the list; zero if there is none.
    function get_address(uint256 id) external view returns (address);
}
