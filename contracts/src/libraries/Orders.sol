// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IGuard} from "../interfaces/IGuard.sol";

/// @title Orders
/// @notice Reads the addresses of an order.
/// @dev Solidity checks at each read that an address is no wider than 20 bytes. `check` does it once for all of them, and
///   the other functions are right for orders that have passed it.
library Orders {
    /// @notice Reverts where an address is too wide, as Solidity does: without data.
    function check(IGuard.Order calldata order) internal pure {
        assembly ("memory-safe") {
            let all := or(calldataload(order), calldataload(add(order, 0x20)))
            if shr(160, or(all, calldataload(add(order, 0x80)))) { revert(0, 0) }
        }
    }

    function inputToken(IGuard.Order calldata order) internal pure returns (address value) {
        assembly ("memory-safe") {
            value := calldataload(order)
        }
    }

    function outputToken(IGuard.Order calldata order) internal pure returns (address value) {
        assembly ("memory-safe") {
            value := calldataload(add(order, 0x20))
        }
    }

    function runner(IGuard.Order calldata order) internal pure returns (address value) {
        assembly ("memory-safe") {
            value := calldataload(add(order, 0x80))
        }
    }

    /// @notice The payout of an order that says nothing about it: what stands behind the calldata is zeros.
    function noPayout() internal pure returns (IGuard.Payout calldata payout) {
        assembly ("memory-safe") {
            payout := calldatasize()
        }
    }
}
