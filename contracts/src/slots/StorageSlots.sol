// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Slots} from "./Slots.sol";

/// @title StorageSlots
/// @notice Slots in storage, for chains without transient storage.
/// @dev A word holds its value plus one, so that it never goes back to zero: a slot used before costs 2,900 gas to set and
///   gives 2,800 of it back when cleared, one that went through zero would cost 20,000. A word never written means zero too.
///   The largest value cannot be told from zero. The lock never has it; a loan that large lends nothing, and an Executor whose
///   word is all ones cannot draw.
abstract contract StorageSlots is Slots {
    function _get(uint256 slot) internal view override returns (uint256 value) {
        assembly ("memory-safe") {
            let word := sload(slot)
            value := sub(word, iszero(iszero(word)))
        }
    }

    function _set(uint256 slot, uint256 value) internal override {
        assembly ("memory-safe") {
            sstore(slot, add(value, 1))
        }
    }
}
