// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title StorageProbe
/// @notice Put over a contract's code by an override, it reads that contract's storage; never deployed.
contract StorageProbe {
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
