// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IUniswapV4PoolManagerState} from "../interfaces/IUniswapV4PoolManagerState.sol";

/// @title UniswapV4Lens
/// @notice Reads pools of a uniswap-v4 singleton from its storage; never deployed.
/// @dev Pool.State of Uniswap/v4-core: slot0, two words of fee growth, liquidity, ticks, tickBitmap. `pools` is slot 6.
contract UniswapV4Lens {
    struct State {
        /// From the lowest bit: sqrtPriceX96 160, tick 24, protocolFee 24, and lpFee 24 bits.
        uint256 slot0;
        uint128 liquidity;
    }

    /// @notice Returns the first word of each pool; zero if the pool does not exist.
    function slots(address manager, bytes32[] calldata ids) external view returns (uint256[] memory words) {
        words = new uint256[](ids.length);
        for (uint256 i = 0; i < ids.length; ++i) {
            words[i] = _load(manager, _base(ids[i]));
        }
    }

    /// @notice Returns the state of a pool without its ticks.
    function read(address manager, bytes32 id) external view returns (State memory state) {
        uint256 base = _base(id);
        state.slot0 = _load(manager, base);
        state.liquidity = uint128(_load(manager, base + 3));
    }

    /// @notice Returns the initialized ticks in the bitmap words `first` to `last`, ascending, two words per tick: its
    ///   index, then gross liquidity in the high and net liquidity in the low half.
    function ticks(address manager, bytes32 id, int24 spacing, int16 first, int16 last)
        external
        view
        returns (uint256[] memory words)
    {
        uint256 base = _base(id);
        // The length is not known in advance: words are written at the free memory pointer. Nothing else allocates memory meanwhile.
        uint256 count;
        assembly ("memory-safe") {
            words := mload(0x40)
        }
        for (int256 position = first; position <= last; ++position) {
            uint256 bits = _load(manager, _slot(position, base + 5));
            for (int256 tick = position * 256 * spacing; bits != 0; tick += spacing) {
                if (bits & 0xffff == 0) {
                    bits >>= 16;
                    tick += 15 * int256(spacing);
                    continue;
                }
                if (bits & 1 == 1) {
                    uint256 info = _load(manager, _slot(tick, base + 4));
                    assembly ("memory-safe") {
                        let at := add(add(words, 0x20), mul(count, 0x20))
                        mstore(at, tick)
                        // Stored in the other order: net liquidity in the high half.
                        mstore(add(at, 0x20), or(shl(128, info), shr(128, info)))
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

    /// @dev Returns the first slot of a pool.
    function _base(bytes32 id) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(id, uint256(6))));
    }

    /// @dev Returns the slot of `key` in the mapping at `slot`; equals keccak256(abi.encode(key, slot)) without
    ///   allocating memory.
    function _slot(int256 key, uint256 slot) private pure returns (uint256 at) {
        assembly ("memory-safe") {
            mstore(0x00, key)
            mstore(0x20, slot)
            at := keccak256(0x00, 0x40)
        }
    }

    /// @dev Equals uint256(manager.extsload(slot)) without allocating memory.
    function _load(address manager, uint256 slot) private view returns (uint256 value) {
        bytes4 selector = IUniswapV4PoolManagerState.extsload.selector;
        assembly ("memory-safe") {
            mstore(0x00, selector)
            mstore(0x04, slot)
            let ok := staticcall(gas(), manager, 0x00, 0x24, 0x00, 0x20)
            if iszero(and(ok, gt(returndatasize(), 0x1f))) { revert(0, 0) }
            value := mload(0x00)
        }
    }
}
