// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title EkuboLens
/// @notice Reads the ticks of Ekubo pools from the storage of their core; never deployed.
/// @dev In version 3, a pool's words are at fixed offsets from its id: its state at the id itself, then ticks by index,
///   and words of the bitmap by position. The offsets come from traces of the core on Ethereum. In version 2, they are
///   in nested mappings.
contract EkuboLens {
    uint256 private constant TICKS = 0x435a5eb89a296820174331cf5a3902d9fca683928d56726d8e7acd6efb28c568;
    uint256 private constant BITMAP = 0x3def450d0010a2fef515ce5eba4b363b5a0f42fdd4c53e1c737975db05a2e3a5;
    /// @dev Slots of the mappings of ticks and bitmaps in version 2.
    uint256 private constant TICKS_V2 = 5;
    uint256 private constant BITMAPS_V2 = 7;
    /// @dev Bits of the bitmap below tick 0.
    int256 private constant OFFSET = 89421695;
    uint256 private constant SLOAD = 0x380eb4e0; // sload(), words behind it
    /// @dev Words of storage per call.
    uint256 private constant BATCH = 128;
    /// @dev In version 2, `sload()` writes its answer over its own variables, from the fifth word on: some answers have
    ///   no gas left.
    uint256 private constant BATCH_V2 = 4;

    /// @dev The core reverted, or returned another number of words.
    error ReadFailed(address core);

    /// @notice Returns the initialized ticks in the bitmap words `first` to `last`, ascending, two words per tick: its
    ///   index, then gross liquidity in the high and net liquidity in the low half.
    function ticks(address core, bytes32 id, uint32 spacing, uint32 first, uint32 last)
        external
        view
        returns (uint256[] memory words)
    {
        // unchecked: storage slots wrap around.
        unchecked {
            return _ticks(core, uint256(id) + TICKS, uint256(id) + BITMAP, false, spacing, first, last);
        }
    }

    /// @notice Like `ticks`, for a core of version 2.
    function ticksV2(address core, bytes32 id, uint32 spacing, uint32 first, uint32 last)
        external
        view
        returns (uint256[] memory words)
    {
        uint256 ticksAt = _entry(uint256(id), TICKS_V2);
        return _ticks(core, ticksAt, _entry(uint256(id), BITMAPS_V2), true, spacing, first, last);
    }

    /// @dev Returns the slot of a key in the mapping at a slot.
    function _entry(uint256 key, uint256 slot) private pure returns (uint256 entry) {
        assembly ("memory-safe") {
            mstore(0x00, key)
            mstore(0x20, slot)
            entry := keccak256(0x00, 0x40)
        }
    }

    /// @dev Returns the slot of a key in the mapping, or in the range of slots, at a slot.
    function _slot(bool isMapping, uint256 slot, uint256 key) private pure returns (uint256) {
        // unchecked: storage slots wrap around.
        unchecked {
            return isMapping ? _entry(key, slot) : slot + key;
        }
    }

    /// @dev Reads the bitmap words `first` to `last`, and the ticks whose bits are set.
    /// @param ticksAt Slot of the pool's ticks.
    /// @param bitmapAt Slot of the pool's bitmap.
    /// @param isMapping True if these are slots of mappings.
    function _ticks(
        address core,
        uint256 ticksAt,
        uint256 bitmapAt,
        bool isMapping,
        uint32 spacing,
        uint32 first,
        uint32 last
    ) private view returns (uint256[] memory words) {
        uint256[] memory requested = new uint256[](BATCH);
        uint256[] memory bitmaps = new uint256[](BATCH);
        uint256[] memory one = new uint256[](1);
        // The length is not known in advance: words are written at the free memory pointer. Nothing else allocates memory meanwhile.
        uint256 count;
        assembly ("memory-safe") {
            words := mload(0x40)
        }
        uint256 batch = isMapping ? BATCH_V2 : BATCH;
        for (uint256 from = first; from <= last; from += batch) {
            uint256 some = last + 1 - from;
            if (some > batch) some = batch;
            for (uint256 k; k < some; ++k) requested[k] = _slot(isMapping, bitmapAt, from + k);
            _load(core, requested, bitmaps, some);
            for (uint256 k; k < some; ++k) {
                uint256 bits = bitmaps[k];
                for (int256 place = int256((from + k) * 256) - OFFSET; bits != 0; ++place) {
                    if (bits & 0xffff == 0) {
                        bits >>= 16;
                        place += 15;
                        continue;
                    }
                    if (bits & 1 == 1) {
                        int256 tick = place * int256(uint256(spacing));
                        one[0] = _slot(isMapping, ticksAt, uint256(tick));
                        _load(core, one, one, 1);
                        uint256 info = one[0];
                        assembly ("memory-safe") {
                            let at := add(add(words, 0x20), mul(count, 0x20))
                            mstore(at, tick)
                            mstore(add(at, 0x20), info)
                            count := add(count, 2)
                            mstore(0x40, add(at, 0x40))
                        }
                    }
                    bits >>= 1;
                }
            }
        }
        assembly ("memory-safe") {
            mstore(words, count)
            if iszero(count) { mstore(0x40, add(words, 0x20)) }
        }
    }

    /// @dev Writes the words of the core's storage at the first `count` of `slots` to `answers`. Overwrites the length
    ///   of `slots` during the call.
    function _load(address core, uint256[] memory slots, uint256[] memory answers, uint256 count) private view {
        bool ok;
        assembly ("memory-safe") {
            let length := mload(slots)
            mstore(slots, SLOAD)
            let size := shl(5, count)
            ok := staticcall(gas(), core, add(slots, 0x1c), add(size, 4), add(answers, 0x20), size)
            ok := and(ok, eq(returndatasize(), size))
            mstore(slots, length)
        }
        if (!ok) revert ReadFailed(core);
    }
}
