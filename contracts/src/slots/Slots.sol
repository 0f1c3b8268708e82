// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Slots
/// @notice Words that last while a swap is in flight and are zero before and after it. All that the builds differ in.
abstract contract Slots {
    function _get(uint256 slot) internal view virtual returns (uint256 value);

    function _set(uint256 slot, uint256 value) internal virtual;
}
