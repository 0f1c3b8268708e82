// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IGuard} from "../interfaces/IGuard.sol";

/// @title Orders
/// @notice Validates orders and payouts, and reads their addresses.
/// @dev Solidity checks at each read that an address has at most 20 bytes. `check` does so once for all of them; the functions that
///   read an address are valid only after it.
library Orders {
    uint256 private constant MAX_FEE_PPM = 100_000;

    /// @notice Reverts if the order is invalid. If an address is wider than 20 bytes it reverts without data, as Solidity does.
    /// @param amountIn Input, in base units.
    function check(IGuard.Order calldata order, uint256 amountIn) internal view {
        uint256 minOutput = order.minOutput;
        uint256 deadline = order.deadline;
        address tokenIn;
        address tokenOut;
        address executor;
        bool late;
        bool nothing;
        bool free;
        bool same;
        bool refused;
        bool wrong;
        assembly ("memory-safe") {
            tokenIn := calldataload(order)
            tokenOut := calldataload(add(order, 0x20))
            executor := calldataload(add(order, 0x80))
            if shr(160, or(or(tokenIn, tokenOut), executor)) { revert(0, 0) }
            late := gt(timestamp(), deadline)
            nothing := or(iszero(amountIn), iszero(minOutput))
            free := iszero(or(tokenIn, callvalue()))
            // A call with value has native input, also if it is lent wrapped.
            same := or(eq(tokenIn, tokenOut), iszero(or(tokenOut, iszero(callvalue()))))
            refused := or(eq(executor, address()), or(eq(executor, tokenIn), eq(executor, tokenOut)))
            // One branch for a valid order.
            wrong := or(or(late, nothing), or(free, or(same, refused)))
        }
        if (!wrong) return;
        if (late) revert IGuard.Expired(deadline, block.timestamp);
        if (nothing) revert IGuard.ZeroAmount();
        if (free) revert IGuard.InvalidValue(0, amountIn);
        if (same) revert IGuard.SameToken(tokenOut);
        revert IGuard.InvalidExecutor(executor);
    }

    /// @notice Reverts unless the value of the call is zero or `amountIn`.
    function checkValue(uint256 amountIn) internal view {
        if (msg.value != 0 && msg.value != amountIn) revert IGuard.InvalidValue(msg.value, amountIn);
    }

    /// @notice Reverts if the payout is invalid. A wrapper that is also the input is refused, since returned input would count as
    ///   output.
    function checkPayout(IGuard.Order calldata order, IGuard.Payout calldata payout) internal view {
        address wrapper = payout.wrapper;
        if (wrapper != address(0)) {
            if (order.tokenOut != address(0)) revert IGuard.InvalidWrapper(wrapper);
            if (wrapper == order.tokenIn) revert IGuard.SameToken(wrapper);
            if (wrapper == order.executor) revert IGuard.InvalidExecutor(wrapper);
        }
        checkRecipient(order, payout.recipient);
        if (payout.recipient == wrapper) revert IGuard.InvalidRecipient(wrapper);
        address feeRecipient = payout.feeRecipient;
        if (payout.feePpm == 0) return;
        if (payout.feePpm > MAX_FEE_PPM) revert IGuard.FeeTooHigh(payout.feePpm, MAX_FEE_PPM);
        if (feeRecipient == address(0) || feeRecipient == address(this)) {
            revert IGuard.InvalidFeeRecipient(feeRecipient);
        }
    }

    /// @notice Reverts for recipients at which the output would be lost: zero, the Guard, and the contracts of the order.
    function checkRecipient(IGuard.Order calldata order, address recipient) internal view {
        bool refused;
        assembly ("memory-safe") {
            refused := or(
                or(iszero(recipient), eq(recipient, address())),
                or(
                    eq(recipient, calldataload(add(order, 0x80))),
                    or(eq(recipient, calldataload(order)), eq(recipient, calldataload(add(order, 0x20))))
                )
            )
        }
        if (refused) revert IGuard.InvalidRecipient(recipient);
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

    /// @notice Returns the recipient of a payout that has passed `checkPayout`; zero if there is no payout.
    function payee(IGuard.Payout calldata payout) internal pure returns (address value) {
        assembly ("memory-safe") {
            value := calldataload(payout)
        }
    }

    /// @notice Returns an empty payout: reads behind the end of calldata give zeros.
    function noPayout() internal pure returns (IGuard.Payout calldata payout) {
        assembly ("memory-safe") {
            payout := calldatasize()
        }
    }
}
