// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Slots} from "./Slots.sol";

/// @title StorageSlots
/// @notice Slots in storage, for chains without transient storage.
/// @dev A word holds its value plus one and never returns to zero: a slot that was used before costs 2,900 gas to set and refunds
///   2,800 when cleared, while a slot at zero costs 20,000. An unwritten word reads as zero too. The value 2^256 - 1 reads as zero:
///   the lock never has it, a loan of that size lends nothing, and an Executor with that word cannot draw.
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
