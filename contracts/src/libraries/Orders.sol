// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IGuard} from "../interfaces/IGuard.sol";

/// @title Orders
/// @notice Reads the addresses of an order, and its flag.
/// @dev Solidity checks at each read that an address is no wider than 20 bytes and a flag no more than one. `check` does it
///   once for all of them, and the other functions are right for orders that have passed it.
library Orders {
    /// @notice Reverts where an address or the flag is too wide, as Solidity does: without data.
    function check(IGuard.Order calldata order) internal pure {
        assembly ("memory-safe") {
            let all := or(calldataload(order), calldataload(add(order, 0x40)))
            all := or(all, or(calldataload(add(order, 0xa0)), calldataload(add(order, 0xc0))))
            all := shr(160, or(all, calldataload(add(order, 0x100))))
            if or(all, shr(1, calldataload(add(order, 0x120)))) { revert(0, 0) }
        }
    }

    function inputToken(IGuard.Order calldata order) internal pure returns (address value) {
        assembly ("memory-safe") {
            value := calldataload(order)
        }
    }

    function outputToken(IGuard.Order calldata order) internal pure returns (address value) {
        assembly ("memory-safe") {
            value := calldataload(add(order, 0x40))
        }
    }

    function runner(IGuard.Order calldata order) internal pure returns (address value) {
        assembly ("memory-safe") {
            value := calldataload(add(order, 0xa0))
        }
    }

    function isDirect(IGuard.Order calldata order) internal pure returns (bool value) {
        assembly ("memory-safe") {
            value := calldataload(add(order, 0x120))
        }
    }

    function inputWrapper(IGuard.Order calldata order) internal pure returns (address value) {
        assembly ("memory-safe") {
            value := calldataload(add(order, 0xc0))
        }
    }
}
