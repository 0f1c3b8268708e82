// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Slots} from "./Slots.sol";

/// @title TransientSlots
/// @notice Slots in transient storage (EIP-1153).
abstract contract TransientSlots is Slots {
    function _get(uint256 slot) internal view override returns (uint256 value) {
        assembly ("memory-safe") {
            value := tload(slot)
        }
    }

    function _set(uint256 slot, uint256 value) internal override {
        assembly ("memory-safe") {
            tstore(slot, value)
        }
    }
}
