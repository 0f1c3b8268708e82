// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IGuard} from "../interfaces/IGuard.sol";

/// @title Orders
/// @notice Refuses senseless orders, and reads the addresses of others.
/// @dev Solidity checks at each read that an address is no wider than 20 bytes. `check` does it once for all of them, and
///   the functions that read one are right for orders that have passed it.
library Orders {
    uint256 private constant MAX_FEE_PPM = 100_000;

    /// @notice What is wrong with the order itself, of any swap. Where an address is too wide it reverts as Solidity does:
    ///   without data.
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
            // Value is native input, in whatever wrapper it is lent.
            same := or(eq(tokenIn, tokenOut), iszero(or(tokenOut, iszero(callvalue()))))
            refused := or(eq(executor, address()), or(eq(executor, tokenIn), eq(executor, tokenOut)))
            // One branch for them all where nothing is wrong.
            wrong := or(or(late, nothing), or(free, or(same, refused)))
        }
        if (!wrong) return;
        if (late) revert IGuard.Expired(deadline, block.timestamp);
        if (nothing) revert IGuard.ZeroAmount();
        if (free) revert IGuard.InvalidValue(0, amountIn);
        if (same) revert IGuard.SameToken(tokenOut);
        revert IGuard.InvalidExecutor(executor);
    }

    /// @notice Of a swap that names its amount and may come with value: that amount, or none.
    function checkValue(uint256 amountIn) internal view {
        if (msg.value != 0 && msg.value != amountIn) revert IGuard.InvalidValue(msg.value, amountIn);
    }

    /// @notice What is wrong with the payout. Were its wrapper also the input, what is given back of that would count as output.
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

    /// @notice Refuses recipients that could never use the output: none, the Guard, and the contracts of the order. The zero
    ///   address as a token of the order is refused as recipient in any case.
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

    /// @notice Recipient of a payout that has passed `checkPayout`; zero for no payout.
    function payee(IGuard.Payout calldata payout) internal pure returns (address value) {
        assembly ("memory-safe") {
            value := calldataload(payout)
        }
    }

    /// @notice The payout of an order that says nothing about it: what stands behind the calldata is zeros.
    function noPayout() internal pure returns (IGuard.Payout calldata payout) {
        assembly ("memory-safe") {
            payout := calldatasize()
        }
    }
}
