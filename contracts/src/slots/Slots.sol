// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Slots
/// @notice Words that are nonzero only during a swap. The two builds differ only in where they are kept.
abstract contract Slots {
    function _get(uint256 slot) internal view virtual returns (uint256 value);

    function _set(uint256 slot, uint256 value) internal virtual;
}
