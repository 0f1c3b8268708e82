// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IGuard} from "../interfaces/IGuard.sol";
import {Permits} from "../libraries/Permits.sol";
import {Transfers} from "../libraries/Transfers.sol";
import {Slots} from "../slots/Slots.sol";

/// @title Loan
/// @notice The Guard's lock, and the input that it lends to the Executor of the swap in flight: one swap at a time.
/// @dev idle: all slots zero. locked: PAYER alone is set, and nothing can be drawn. lent: all are set, and the Executor draws.
///   The token that `pullInput` draws is split over the first two slots, which spares a third.
abstract contract Loan is IGuard, Slots {
    using Transfers for address;

    /// @dev The Executor in bits 0–159, the lower 96 bits of the token above it.
    uint256 private constant EXECUTOR = 0;
    /// @dev The lock: zero only outside of a swap. Whom `pullInput` draws from in bits 0–159, who pays how in bits 160–191, of
    ///   which the lowest is always set and most never are: so the word is neither zero nor all ones, whoever takes part.
    ///   The upper 64 bits of the token above them.
    uint256 private constant PAYER = 1;
    /// @dev How much `pullInput` may still draw.
    uint256 private constant REMAINING = 2;

    // How the input is paid: by the sender's approval of the Guard, by native that the Guard has wrapped, or through Permit2.
    uint256 internal constant BY_APPROVAL = LOCKED;
    uint256 internal constant BY_GUARD = LOCKED | WRAPPED;
    uint256 internal constant BY_PERMIT2 = LOCKED | PERMITTED;

    uint256 private constant LOCKED = 1 << 160;
    uint256 private constant WRAPPED = 1 << 161;
    uint256 private constant PERMITTED = 1 << 162;

    /// @dev Wrappers unwrap to here, and Executors hand native output over; nobody else has a reason to.
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

    function _locked() internal view returns (bool) {
        return _get(PAYER) != 0;
    }

    /// @dev Without an Executor: nobody can draw.
    function _lock() internal {
        _set(PAYER, LOCKED);
    }

    /// @param token What `pullInput` is to draw.
    /// @param by How it is paid.
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

    function _unlock() internal {
        _set(PAYER, 0);
        _set(EXECUTOR, 0);
    }

    function _lend(uint256 amount) internal {
        _set(REMAINING, amount);
    }

    function _notDrawn() internal view returns (uint256) {
        return _get(REMAINING);
    }
}
