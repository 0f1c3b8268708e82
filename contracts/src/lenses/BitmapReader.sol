// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title BitmapReader
/// @notice Reads the initialized ticks of a pool with a tick bitmap, through the getters of its family.
abstract contract BitmapReader {
    /// @dev A getter of the pool reverted, or returned less than a word.
    error ReadFailed(address pool, bytes4 selector);

    /// @dev Returns the initialized ticks in the bitmap words `first` to `last`, ascending, two words per tick: its
    ///   index, then gross liquidity in the high and net liquidity in the low half.
    /// @param bitmap Getter of the bitmap word at a position.
    /// @param details Getter of a tick by its index; returns gross, then net liquidity.
    /// @param spacing Number of ticks per bit.
    function _ticks(address pool, bytes4 bitmap, bytes4 details, int24 spacing, int16 first, int16 last)
        internal
        view
        returns (uint256[] memory words)
    {
        // The length is not known in advance: words are written at the free memory pointer. Nothing else allocates memory meanwhile.
        uint256 count;
        assembly ("memory-safe") {
            words := mload(0x40)
        }
        for (int256 position = first; position <= last; ++position) {
            (uint256 bits,) = _need(pool, bitmap, position);
            for (int256 tick = position * 256 * spacing; bits != 0; tick += spacing) {
                if (bits & 0xffff == 0) {
                    bits >>= 16;
                    tick += 15 * int256(spacing);
                    continue;
                }
                if (bits & 1 == 1) {
                    (uint256 gross, uint256 net) = _need(pool, details, tick);
                    assembly ("memory-safe") {
                        let at := add(add(words, 0x20), mul(count, 0x20))
                        mstore(at, tick)
                        mstore(add(at, 0x20), or(shl(128, gross), and(net, 0xffffffffffffffffffffffffffffffff)))
                        count := add(count, 2)
                        mstore(0x40, add(at, 0x40))
                    }
                }
                bits >>= 1;
            }
        }
        assembly ("memory-safe") {
            mstore(words, count)
            if iszero(count) { mstore(0x40, add(words, 0x20)) }
        }
    }

    /// @dev Like `_read`, but reverts if the call fails.
    function _need(address target, bytes4 selector, int256 argument)
        internal
        view
        returns (uint256 first, uint256 second)
    {
        bool ok;
        (ok, first, second) = _read(target, selector, argument);
        if (!ok) revert ReadFailed(target, selector);
    }

    /// @dev Equals target.staticcall(abi.encodeWithSelector(selector, argument)) and decoding the first two words,
    ///   without allocating memory, because a pool needs thousands of calls. A getter without arguments ignores the
    ///   argument.
    function _read(address target, bytes4 selector, int256 argument)
        internal
        view
        returns (bool ok, uint256 first, uint256 second)
    {
        assembly ("memory-safe") {
            mstore(0x00, selector)
            mstore(0x04, argument)
            ok := staticcall(gas(), target, 0x00, 0x24, 0x00, 0x40)
            ok := and(ok, gt(returndatasize(), 0x1f))
            first := mload(0x00)
            if gt(returndatasize(), 0x3f) { second := mload(0x20) }
        }
    }
}
