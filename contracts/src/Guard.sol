// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IExecutor} from "./interfaces/IExecutor.sol";
import {IGuard} from "./interfaces/IGuard.sol";
import {IWrappedNative} from "./interfaces/IWrappedNative.sol";
import {Transfers} from "./libraries/Transfers.sol";

/// @title Guard
/// @notice The one contract that users approve: no owner, no storage, no upgrade, no callback, no call of the caller's choosing.
/// @dev All it ever calls: balanceOf, transfer and transferFrom of the order's tokens, deposit and withdraw of its wrapper,
///   execute of its Executor, and plain sends of native token. These hold for a hostile Executor, program, token or recipient:
///   1. `transferFrom` is called only with the sender of the swap in flight as its `from`.
///   2. At most `amountIn` of `tokenIn` leaves the sender.
///   3. When `swap` returns, the sender's balance of `tokenOut` has grown by at least `minOutput`, or that much native was sent.
///   4. What the Guard held before a swap it holds after it.
///   5. The fee is floor(output × feePpm / 1e6), at most a tenth, and goes to the named recipient alone.
///   Tokens may return nothing, take a tax, rebase or call back. Stray tokens sent to the Guard stay there for good.
contract Guard is IGuard {
    using Transfers for address;

    uint256 private constant PPM = 1_000_000;
    uint256 private constant MAX_FEE_PPM = 100_000;

    // Transient slots: set by a swap, zero outside of one.
    /// @dev The Executor of the swap in flight; the lock.
    uint256 private constant EXECUTOR = 0;
    /// @dev Whom `pull` draws from: the sender, or the Guard itself where it wrapped native input.
    uint256 private constant PAYER = 1;
    /// @dev What `pull` draws.
    uint256 private constant TOKEN = 2;
    /// @dev How much it may still draw.
    uint256 private constant REMAINING = 3;

    /// @dev Wrappers unwrap to here, and Executors hand native output over; nobody else has a reason to.
    receive() external payable {
        if (_get(EXECUTOR) == 0) revert UnexpectedNative(msg.sender);
    }

    /// @inheritdoc IGuard
    function swap(Order calldata order, bytes calldata program) external payable returns (uint256 amountOut) {
        if (_get(EXECUTOR) != 0) revert Reentrancy();
        _check(order);
        _set(EXECUTOR, uint160(order.executor));

        uint256 nativeBefore = address(this).balance - msg.value;
        address tokenOut = order.tokenOut;
        if (order.direct) {
            uint256 before = tokenOut.balanceOf(msg.sender);
            _execute(order, program);
            amountOut = _growth(before, tokenOut.balanceOf(msg.sender));
        } else if (tokenOut == address(0)) {
            _execute(order, program);
            amountOut = _takeFee(order, _growth(nativeBefore, address(this).balance));
            if (amountOut >= order.minOutput) msg.sender.sendNative(amountOut);
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
        if (amountOut < order.minOutput) revert OutputTooLow(amountOut, order.minOutput);

        // Native that the Executor did not use or handed back is the sender's. Native output excludes native input.
        if (msg.value != 0 && address(this).balance > nativeBefore) {
            msg.sender.sendNative(address(this).balance - nativeBefore);
        }
        _set(PAYER, 0);
        _set(TOKEN, 0);
        _set(EXECUTOR, 0);
    }

    /// @inheritdoc IGuard
    function pull(address to, uint256 amount) external {
        if (_get(EXECUTOR) != uint160(msg.sender)) revert NotExecutor(msg.sender);
        uint256 left = _get(REMAINING);
        if (amount > left || to == address(this)) revert InvalidPull(to, amount, left);
        // unchecked: amount is at most left.
        unchecked {
            _set(REMAINING, left - amount);
        }
        address token = address(uint160(_get(TOKEN)));
        address payer = address(uint160(_get(PAYER)));
        if (payer == address(this)) token.transfer(to, amount);
        else token.transferFrom(payer, to, amount);
    }

    /// @inheritdoc IGuard
    function remaining() external view returns (uint256) {
        return _get(REMAINING);
    }

    /// @dev Lends the input, runs the program and ends the loan.
    function _execute(Order calldata order, bytes calldata program) private {
        address wrapper = order.wrapper;
        uint256 value = msg.value;
        if (value == 0) {
            _lend(msg.sender, order.tokenIn, order.amountIn);
        } else if (wrapper != address(0)) {
            uint256 before = wrapper.balanceOf(address(this));
            IWrappedNative(wrapper).deposit{value: value}();
            uint256 moved = _growth(before, wrapper.balanceOf(address(this)));
            if (moved != value) revert WrapMismatch(wrapper, moved, value);
            _lend(address(this), wrapper, value);
            value = 0;
        }

        IExecutor(order.executor).execute{value: value}(program);

        uint256 left = _get(REMAINING);
        _set(REMAINING, 0);
        if (left != 0 && wrapper != address(0)) {
            uint256 before = address(this).balance;
            IWrappedNative(wrapper).withdraw(left);
            uint256 moved = _growth(before, address(this).balance);
            if (moved != left) revert WrapMismatch(wrapper, moved, left);
        }
    }

    function _lend(address payer, address token, uint256 amount) private {
        _set(PAYER, uint160(payer));
        _set(TOKEN, uint160(token));
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
    function _check(Order calldata order) private view {
        if (block.timestamp > order.deadline) revert Expired(order.deadline, block.timestamp);
        if (order.amountIn == 0 || order.minOutput == 0) revert ZeroAmount();

        (address tokenIn, address tokenOut, address wrapper) = (order.tokenIn, order.tokenOut, order.wrapper);
        // Were the wrapper also the output, the deposit itself would count as output.
        if (tokenIn == tokenOut || (wrapper == tokenOut && wrapper != address(0))) revert SameToken(tokenOut);
        if (wrapper != address(0) && tokenIn != address(0)) revert InvalidWrapper(wrapper);
        uint256 expected = tokenIn == address(0) ? order.amountIn : 0;
        if (msg.value != expected) revert InvalidValue(msg.value, expected);

        address executor = order.executor;
        if (
            executor == address(this) || executor == tokenIn || executor == tokenOut || executor == wrapper
                || executor.code.length == 0
        ) revert InvalidExecutor(executor);

        uint256 feePpm = order.feePpm;
        if (feePpm != 0) {
            uint256 cap = order.direct ? 0 : MAX_FEE_PPM;
            if (feePpm > cap) revert FeeTooHigh(feePpm, cap);
            address recipient = order.feeRecipient;
            if (recipient == address(0) || recipient == address(this)) revert InvalidFeeRecipient(recipient);
        }
        if (order.direct && tokenOut == address(0)) revert DirectNative();
    }

    function _growth(uint256 before, uint256 later) private pure returns (uint256) {
        // unchecked: only the larger minus the smaller. A balance that fell has not grown.
        unchecked {
            return later > before ? later - before : 0;
        }
    }

    function _get(uint256 slot) private view returns (uint256 value) {
        assembly ("memory-safe") {
            value := tload(slot)
        }
    }

    function _set(uint256 slot, uint256 value) private {
        assembly ("memory-safe") {
            tstore(slot, value)
        }
    }
}
