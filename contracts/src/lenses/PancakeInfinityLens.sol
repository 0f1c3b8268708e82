// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPancakeInfinityBinManager, IPancakeInfinityClManager} from "../interfaces/IPancakeInfinity.sol";

/// @title PancakeInfinityLens
/// @notice Reads pools of both pancake-infinity managers through their getters; never deployed.
contract PancakeInfinityLens {
    /// @dev State of a pool with ticks. Fees are in ppm.
    struct ClState {
        uint160 sqrtPriceX96;
        int24 tick;
        uint24 protocolFee;
        uint24 lpFee;
        uint128 liquidity;
    }

    /// @dev State of a pool with bins. Fees are in ppm.
    struct BinState {
        uint24 activeId;
        uint24 protocolFee;
        uint24 lpFee;
        /// Two words per bin: its id, then reserveX in the high and reserveY in the low half. First the active bin and
        /// those below it, descending, then those above it, ascending.
        uint256[] below;
        uint256[] above;
        /// True if all bins of a side are included.
        bool allBelow;
        bool allAbove;
    }

    /// @dev The manager is paused.
    error Paused(address manager);
    /// @dev A getter of the manager failed.
    error ReadFailed(address manager, bytes4 selector);

    /// @notice Returns the price or the active bin of each pool; zero if the pool does not exist.
    function prices(address manager, bytes32[] calldata ids) external view returns (uint256[] memory words) {
        words = new uint256[](ids.length);
        for (uint256 i = 0; i < ids.length; ++i) {
            // The getter has the same name in both managers; the price or the active bin is its first word.
            (words[i],) = _get(manager, IPancakeInfinityClManager.getSlot0.selector, ids[i], 0);
        }
    }

    /// @notice Returns the state of a pool without its ticks. Reverts while the manager is paused.
    function readCl(IPancakeInfinityClManager manager, bytes32 id) external view returns (ClState memory state) {
        if (manager.paused()) revert Paused(address(manager));
        (state.sqrtPriceX96, state.tick, state.protocolFee, state.lpFee) = manager.getSlot0(id);
        state.liquidity = manager.getLiquidity(id);
    }

    /// @notice Returns the initialized ticks in the bitmap words `first` to `last`, ascending, two words per tick: its
    ///   index, then gross liquidity in the high and net liquidity in the low half.
    function ticks(address manager, bytes32 id, int24 spacing, int16 first, int16 last)
        external
        view
        returns (uint256[] memory words)
    {
        // The length is not known in advance: words are written at the free memory pointer. Nothing else allocates memory meanwhile.
        uint256 count;
        assembly ("memory-safe") {
            words := mload(0x40)
        }
        for (int256 position = first; position <= last; ++position) {
            (uint256 bits,) = _get(manager, IPancakeInfinityClManager.getPoolBitmapInfo.selector, id, position);
            for (int256 tick = position * 256 * spacing; bits != 0; tick += spacing) {
                if (bits & 1 == 1) {
                    (uint256 gross, uint256 net) =
                        _get(manager, IPancakeInfinityClManager.getPoolTickInfo.selector, id, tick);
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

    /// @notice Returns the state of a pool with bins. Reverts while the manager is paused.
    /// @param maxBins Maximum bins to read on each side of the active one.
    function readBin(IPancakeInfinityBinManager manager, bytes32 id, uint256 maxBins)
        external
        view
        returns (BinState memory state)
    {
        if (manager.paused()) revert Paused(address(manager));
        (state.activeId, state.protocolFee, state.lpFee) = manager.getSlot0(id);
        (state.below, state.allBelow) = _bins(manager, id, state.activeId, true, maxBins);
        (state.above, state.allAbove) = _bins(manager, id, state.activeId, false, maxBins);
    }

    /// @dev Reads the bins on one side of the active bin. `complete` is true if there are no more.
    function _bins(IPancakeInfinityBinManager manager, bytes32 id, uint24 active, bool down, uint256 maxBins)
        private
        view
        returns (uint256[] memory words, bool complete)
    {
        words = new uint256[](2 * maxBins);
        uint256 count = 0;
        uint24 bin = active;
        // The active bin belongs to the side below.
        if (down) count = _put(manager, id, words, count, bin);
        while (true) {
            bin = manager.getNextNonEmptyBin(id, down, bin);
            complete = bin == 0 || bin == type(uint24).max;
            if (complete || count == words.length) break;
            count = _put(manager, id, words, count, bin);
        }
        assembly ("memory-safe") {
            mstore(words, count)
        }
    }

    /// @dev Writes a bin to `words` at index `at`, and returns the index after it.
    function _put(IPancakeInfinityBinManager manager, bytes32 id, uint256[] memory words, uint256 at, uint24 bin)
        private
        view
        returns (uint256)
    {
        (uint128 reserveX, uint128 reserveY) = manager.getBin(id, bin);
        words[at] = bin;
        words[at + 1] = uint256(reserveX) << 128 | reserveY;
        return at + 2;
    }

    /// @dev Equals manager.staticcall(abi.encodeWithSelector(selector, id, argument)) and decoding the first two words,
    ///   without allocating memory, because a pool needs thousands of calls.
    function _get(address manager, bytes4 selector, bytes32 id, int256 argument)
        private
        view
        returns (uint256 first, uint256 second)
    {
        bool ok;
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(0x00, selector)
            mstore(0x04, id)
            mstore(0x24, argument)
            ok := staticcall(gas(), manager, 0x00, 0x44, 0x00, 0x40)
            ok := and(ok, gt(returndatasize(), 0x1f))
            first := mload(0x00)
            if gt(returndatasize(), 0x3f) { second := mload(0x20) }
            mstore(0x40, free)
        }
        if (!ok) revert ReadFailed(manager, selector);
    }
}
