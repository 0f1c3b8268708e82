// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IGuard} from "../interfaces/IGuard.sol";
import {Permits} from "../libraries/Permits.sol";
import {Transfers} from "../libraries/Transfers.sol";
import {Slots} from "../slots/Slots.sol";

/// @title Loan
/// @notice The Guard's lock and its allowance for the Executor of the swap in flight. One swap runs at a time.
/// @dev Idle: all slots are zero. Locked: only PAYER is set, and nothing can be drawn. Lent: all slots are set, and the Executor
///   can draw. The input token is split over the first two slots, which saves a third slot.
abstract contract Loan is IGuard, Slots {
    using Transfers for address;

    /// @dev Slot: Executor in bits 0–159, lower 96 bits of the input token in bits 160–255.
    uint256 private constant EXECUTOR = 0;
    /// @dev Slot and lock: zero only outside of a swap. Account that pays the input in bits 0–159, payment method in bits 160–191,
    ///   upper 64 bits of the input token in bits 192–255. Bit 160 is always set during a swap and bits 163–191 never are, so the
    ///   word is neither zero nor all ones for any accounts.
    uint256 private constant PAYER = 1;
    /// @dev Slot: base units of the input that `pullInput` may still draw.
    uint256 private constant REMAINING = 2;

    // Payment methods: the sender's approval of the Guard, native token that the Guard has wrapped, or Permit2.
    uint256 internal constant BY_APPROVAL = LOCKED;
    uint256 internal constant BY_GUARD = LOCKED | WRAPPED;
    uint256 internal constant BY_PERMIT2 = LOCKED | PERMITTED;

    uint256 private constant LOCKED = 1 << 160;
    uint256 private constant WRAPPED = 1 << 161;
    uint256 private constant PERMITTED = 1 << 162;

    /// @dev Receives native token from wrappers and Executors during a swap, and refuses it at any other time.
    receive() external payable {
        if (!_locked()) revert UnexpectedNative(msg.sender);
    }

    /// @inheritdoc IGuard
    function pullInput(address to, uint256 amount) external {
        uint256 executor = _get(EXECUTOR);
        if (uint160(executor) != uint160(msg.sender)) revert NotExecutor(msg.sender);
        uint256 left = _get(REMAINING);
        bool refused;
        assembly ("memory-safe") {
            refused := or(gt(amount, left), eq(to, address()))
        }
        if (refused) revert InvalidPull(to, amount, left);
        // unchecked: amount is at most left.
        unchecked {
            _set(REMAINING, left - amount);
        }
        uint256 lender = _get(PAYER);
        address token;
        address payer;
        assembly ("memory-safe") {
            token := or(shr(160, executor), shl(96, shr(192, lender)))
            payer := shr(96, shl(96, lender))
        }
        if (lender & (WRAPPED | PERMITTED) == 0) token.transferFrom(payer, to, amount);
        else if (lender & WRAPPED == 0) Permits.transferFrom(token, payer, to, amount);
        else token.transfer(to, amount);
    }

    /// @inheritdoc IGuard
    function remaining() external view returns (uint256) {
        return _get(REMAINING);
    }

    /// @dev True during a swap.
    function _locked() internal view returns (bool) {
        return _get(PAYER) != 0;
    }

    /// @dev Locks without an Executor: nobody can draw.
    function _lock() internal {
        _set(PAYER, LOCKED);
    }

    /// @dev Locks for a swap. The caller of the Guard pays the input.
    /// @param executor Contract that may call `pullInput`.
    /// @param token Input token.
    /// @param by Payment method.
    function _lock(address executor, address token, uint256 by) internal {
        uint256 first;
        uint256 second;
        assembly ("memory-safe") {
            first := or(executor, shl(160, token))
            second := or(or(caller(), by), shl(192, shr(96, token)))
        }
        _set(EXECUTOR, first);
        _set(PAYER, second);
    }

    /// @dev Ends the swap.
    function _unlock() internal {
        _set(PAYER, 0);
        _set(EXECUTOR, 0);
    }

    /// @dev Sets the amount that `pullInput` may draw, in base units of the input.
    function _lend(uint256 amount) internal {
        _set(REMAINING, amount);
    }

    /// @dev Returns the amount that was lent and not drawn, in base units of the input.
    function _notDrawn() internal view returns (uint256) {
        return _get(REMAINING);
    }
}
