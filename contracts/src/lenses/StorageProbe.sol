// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title StorageProbe
/// @notice Reads the storage of a contract whose code it overrides; never deployed.
contract StorageProbe {
    /// @notice Returns the values of storage slots.
    function words(uint256[] calldata slots) external view returns (uint256[] memory values) {
        values = new uint256[](slots.length);
        for (uint256 i = 0; i < slots.length; ++i) {
            uint256 slot = slots[i];
            assembly ("memory-safe") {
                mstore(add(add(values, 32), mul(i, 32)), sload(slot))
            }
        }
    }
}
