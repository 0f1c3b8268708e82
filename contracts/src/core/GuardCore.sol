// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IExecutor} from "../interfaces/IExecutor.sol";
import {IGuard} from "../interfaces/IGuard.sol";
import {IWrappedNative} from "../interfaces/IWrappedNative.sol";
import {Transfers} from "../libraries/Transfers.sol";
import {Slots} from "../slots/Slots.sol";

/// @title GuardCore
/// @notice The one contract that users approve: no owner, no state, no upgrade, no callback, no call of the caller's choosing.
/// @dev All it ever calls: balanceOf, transfer and transferFrom of the order's tokens, deposit and withdraw of its wrapper,
///   execute of its Executor, and plain sends of native token. These hold for a hostile Executor, program, token or recipient:
///   1. `transferFrom` is called only with the sender of the swap in flight as its `from`.
///   2. At most `amountIn` of `tokenIn` leaves the sender.
///   3. When `swap` returns, the sender's balance of `tokenOut` has grown by at least `minOutput`, or that much native was sent.
///   4. What the Guard held before a swap it holds after it.
///   5. The fee is floor(output × feePpm / 1e6), at most a tenth, and goes to the named recipient alone.
///   Tokens may return nothing, take a tax, rebase or call back. Stray tokens sent to the Guard stay there for good.
abstract contract GuardCore is IGuard, Slots {
    using Transfers for address;

    uint256 private constant PPM = 1_000_000;
    uint256 private constant MAX_FEE_PPM = 100_000;

    // Slots: set by a swap, zero outside of one. The token that `pull` draws is split over the first two, which
    // spares a third: its lower 96 bits lie above the Executor, its upper 64 above the payer.
    /// @dev The Executor of the swap in flight; never zero during one: the lock.
    uint256 private constant EXECUTOR = 0;
    /// @dev Whom `pull` draws from: the sender, or the Guard itself where it wrapped native input.
    uint256 private constant PAYER = 1;
    /// @dev How much `pull` may still draw.
    uint256 private constant REMAINING = 2;

    /// @dev Wrappers unwrap to here, and Executors hand native output over; nobody else has a reason to.
    receive() external payable {
        if (_get(EXECUTOR) == 0) revert UnexpectedNative(msg.sender);
    }

    /// @inheritdoc IGuard
    function swap(Order calldata order, bytes calldata program) external payable returns (uint256 amountOut) {
        if (_get(EXECUTOR) != 0) revert Reentrancy();
        address tokenOut = order.tokenOut;
        uint256 minOutput = order.minOutput;
        bool direct = order.direct;
        _check(order, tokenOut, minOutput, direct);
        // unchecked: the value is part of the balance.
        uint256 nativeBefore;
        unchecked {
            nativeBefore = address(this).balance - msg.value;
        }
        if (direct) {
            uint256 before = tokenOut.balanceOf(msg.sender);
            _execute(order, program);
            amountOut = _growth(before, tokenOut.balanceOf(msg.sender));
        } else if (tokenOut == address(0)) {
            _execute(order, program);
            amountOut = _takeFee(order, _growth(nativeBefore, address(this).balance));
            if (amountOut >= minOutput) msg.sender.sendNative(amountOut);
        } else {
            uint256 before = tokenOut.balanceOf(address(this));
            _execute(order, program);
            amountOut = _takeFee(order, _growth(before, tokenOut.balanceOf(address(this))));
            if (amountOut != 0) {
                before = tokenOut.balanceOf(msg.sender);
                tokenOut.transfer(msg.sender, amountOut);
                amountOut = _growth(before, tokenOut.balanceOf(msg.sender));
            }
        }
        if (amountOut < minOutput) revert OutputTooLow(amountOut, minOutput);

        // Native that the Executor did not use or handed back is the sender's. Native output excludes native input.
        if (msg.value != 0 && address(this).balance > nativeBefore) {
            msg.sender.sendNative(address(this).balance - nativeBefore);
        }
        _set(PAYER, 0);
        _set(EXECUTOR, 0);
    }

    /// @inheritdoc IGuard
    function pull(address to, uint256 amount) external {
        uint256 executor = _get(EXECUTOR);
        if (uint160(executor) != uint160(msg.sender)) revert NotExecutor(msg.sender);
        uint256 left = _get(REMAINING);
        if (amount > left || to == address(this)) revert InvalidPull(to, amount, left);
        // unchecked: amount is at most left.
        unchecked {
            _set(REMAINING, left - amount);
        }
        uint256 lender = _get(PAYER);
        address token = address(uint160((executor >> 160) | (lender >> 160) << 96));
        address payer = address(uint160(lender));
        if (payer == address(this)) token.transfer(to, amount);
        else token.transferFrom(payer, to, amount);
    }

    /// @inheritdoc IGuard
    function remaining() external view returns (uint256) {
        return _get(REMAINING);
    }

    /// @dev Locks, lends the input, runs the program and ends the loan.
    function _execute(Order calldata order, bytes calldata program) private {
        address wrapper = order.wrapper;
        uint256 value = msg.value;
        address executor = order.executor;
        if (value == 0) {
            // Until here only balances were read, in static calls that cannot re-enter.
            _lend(executor, msg.sender, order.tokenIn, order.amountIn);
        } else if (wrapper == address(0)) {
            _set(EXECUTOR, uint160(executor));
        } else {
            // Locked before the wrapper is called, and nothing is lent yet.
            _set(EXECUTOR, uint160(executor));
            uint256 before = wrapper.balanceOf(address(this));
            IWrappedNative(wrapper).deposit{value: value}();
            uint256 moved = _growth(before, wrapper.balanceOf(address(this)));
            if (moved != value) revert WrapMismatch(wrapper, moved, value);
            _lend(executor, address(this), wrapper, value);
            value = 0;
        }

        _run(executor, value, program);

        uint256 left = _get(REMAINING);
        if (left == 0) return;
        _set(REMAINING, 0);
        if (wrapper != address(0)) {
            uint256 before = address(this).balance;
            IWrappedNative(wrapper).withdraw(left);
            uint256 moved = _growth(before, address(this).balance);
            if (moved != left) revert WrapMismatch(wrapper, moved, left);
        }
    }

    /// @dev Equals IExecutor(executor).execute{value: value}(program): `_check` has seen that the Executor has code.
    function _run(address executor, uint256 value, bytes calldata program) private {
        uint256 selector = uint32(IExecutor.execute.selector);
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, selector)
            mstore(add(free, 0x20), 0x20)
            mstore(add(free, 0x40), program.length)
            calldatacopy(add(free, 0x60), program.offset, program.length)
            // Not padded to whole words: the Executor reads no further than the length.
            if iszero(call(gas(), executor, value, add(free, 0x1c), add(0x44, program.length), 0, 0)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
        }
    }

    function _lend(address executor, address payer, address token, uint256 amount) private {
        _set(EXECUTOR, uint160(executor) | uint256(uint160(token)) << 160);
        _set(PAYER, uint160(payer) | uint256(uint160(token)) >> 96 << 160);
        _set(REMAINING, amount);
    }

    /// @return kept What is left of `amount` for the sender.
    function _takeFee(Order calldata order, uint256 amount) private returns (uint256 kept) {
        if (order.feePpm == 0) return amount;
        uint256 fee = amount * order.feePpm / PPM;
        // unchecked: the fee is at most a tenth of the amount.
        unchecked {
            kept = amount - fee;
        }
        if (fee == 0) return kept;
        if (order.tokenOut == address(0)) order.feeRecipient.sendNative(fee);
        else order.tokenOut.transfer(order.feeRecipient, fee);
    }

    /// @dev What is wrong with the order itself; nothing has been called yet.
    function _check(Order calldata order, address tokenOut, uint256 minOutput, bool direct) private view {
        if (block.timestamp > order.deadline) revert Expired(order.deadline, block.timestamp);
        uint256 amountIn = order.amountIn;
        if (amountIn == 0 || minOutput == 0) revert ZeroAmount();

        address tokenIn = order.tokenIn;
        address wrapper = order.wrapper;
        if (tokenIn == tokenOut) revert SameToken(tokenOut);
        if (wrapper != address(0)) {
            if (tokenIn != address(0)) revert InvalidWrapper(wrapper);
            // Were the wrapper also the output, the deposit itself would count as output.
            if (wrapper == tokenOut) revert SameToken(tokenOut);
        }
        uint256 expected = tokenIn == address(0) ? amountIn : 0;
        if (msg.value != expected) revert InvalidValue(msg.value, expected);

        address executor = order.executor;
        if (
            executor == address(this) || executor == tokenIn || executor == tokenOut || executor == wrapper
                || executor.code.length == 0
        ) revert InvalidExecutor(executor);

        if (direct && tokenOut == address(0)) revert DirectNative();
        uint256 feePpm = order.feePpm;
        if (feePpm == 0) return;
        uint256 cap = direct ? 0 : MAX_FEE_PPM;
        if (feePpm > cap) revert FeeTooHigh(feePpm, cap);
        address recipient = order.feeRecipient;
        if (recipient == address(0) || recipient == address(this)) revert InvalidFeeRecipient(recipient);
    }

    function _growth(uint256 before, uint256 later) private pure returns (uint256) {
        // unchecked: only the larger minus the smaller. A balance that fell has not grown.
        unchecked {
            return later > before ? later - before : 0;
        }
    }
}
