// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../interfaces/IExecutor.sol";
import {IGuard} from "../interfaces/IGuard.sol";
import {Orders} from "../libraries/Orders.sol";
import {Permits} from "../libraries/Permits.sol";
import {Transfers} from "../libraries/Transfers.sol";
import {Loan} from "./Loan.sol";

/// @title GuardCore
/// @notice The only contract that users approve. It has no owner, no state between swaps, no upgrade, no callback, and makes no
///   call that its caller chooses.
/// @dev The Guard calls only: balanceOf, transfer, transferFrom, and permit of the order's tokens; permit and transferFrom of
///   Permit2; deposit and withdraw of the order's wrappers; execute of the order's Executor; and plain transfers of native token.
///   The following holds for any Executor, program, token, and recipient, if tokens debit at most the transferred amount
///   (SECURITY.md):
///   1. `transferFrom` and `permit` are called only for the sender of the swap in flight.
///   2. At most `amountIn` leaves the sender.
///   3. When a swap returns, the recipient's balance of `tokenOut` has grown by at least `minOutput`, or at least that much native
///      token was sent to the recipient. The recipient is the sender, unless the calldata names another.
///   4. A swap does not lower the Guard's own balances.
///   5. The fee is floor(output × feePpm / 1e6), at most a tenth, and only the named fee recipient receives it. The rest of the
///      output goes to the recipient; unused native input goes to the sender.
///   Tokens may return nothing, take a tax, rebase, or call back. Tokens sent to the Guard by mistake cannot be recovered.
abstract contract GuardCore is Loan {
    using Orders for Order;
    using Orders for Payout;
    using Transfers for address;

    uint256 private constant PPM = 1_000_000;

    /// @inheritdoc IGuard
    function swap(uint256 amountIn, Order calldata order, bytes calldata program) external returns (uint256) {
        _check(amountIn, order);
        return _swap(amountIn, order, Orders.noPayout(), BY_APPROVAL, program);
    }

    /// @inheritdoc IGuard
    function swapNative(Order calldata order, bytes calldata program) external payable returns (uint256) {
        _check(msg.value, order);
        return _swap(msg.value, order, Orders.noPayout(), BY_APPROVAL, program);
    }

    /// @inheritdoc IGuard
    function swapWithPayout(uint256 amountIn, Order calldata order, Payout calldata payout, bytes calldata program)
        external
        payable
        returns (uint256)
    {
        Orders.checkValue(amountIn);
        order.checkPayout(payout);
        _check(amountIn, order);
        return _swap(amountIn, order, payout, BY_APPROVAL, program);
    }

    /// @inheritdoc IGuard
    function swapDirect(uint256 amountIn, address recipient, Order calldata order, bytes calldata program)
        external
        payable
        returns (uint256)
    {
        Orders.checkValue(amountIn);
        order.checkRecipient(recipient);
        _check(amountIn, order);
        return _swapDirect(amountIn, order, recipient, BY_APPROVAL, program);
    }

    /// @inheritdoc IGuard
    function swapWithPermit(
        uint256 amountIn,
        Order calldata order,
        Permit calldata permit,
        Payout calldata payout,
        bytes calldata program
    ) external returns (uint256) {
        order.checkPayout(payout);
        _check(amountIn, order);
        return _swap(amountIn, order, payout, _usePermit(order, permit), program);
    }

    /// @inheritdoc IGuard
    function swapDirectWithPermit(
        uint256 amountIn,
        address recipient,
        Order calldata order,
        Permit calldata permit,
        bytes calldata program
    ) external returns (uint256) {
        order.checkRecipient(recipient);
        _check(amountIn, order);
        return _swapDirect(amountIn, order, recipient, _usePermit(order, permit), program);
    }

    /// @dev Submits the sender's permit to the input token, or to Permit2. Locks first, since the token may be hostile.
    /// @return by Payment method of the input.
    function _usePermit(Order calldata order, Permit calldata permit) private returns (uint256 by) {
        _lock();
        Permits.give(permit, order.inputToken());
        return permit.kind == PermitKind.Permit2 ? BY_PERMIT2 : BY_APPROVAL;
    }

    /// @dev Swaps with the output paid to the Guard, which forwards it to the recipient.
    /// @param by Payment method of the input; ignored for native input.
    function _swap(uint256 amountIn, Order calldata order, Payout calldata payout, uint256 by, bytes calldata program)
        private
        returns (uint256 amountOut)
    {
        address tokenOut = order.outputToken();
        uint256 nativeBefore = _nativeBefore();
        if (tokenOut == address(0)) {
            amountOut = _executeForNative(amountIn, order, payout, nativeBefore, by, program);
            address recipient = payout.payee();
            if (recipient == address(0)) recipient = msg.sender;
            else if (payout.feePpm != 0) amountOut = _takeFee(order, payout, amountOut);
            if (amountOut >= order.minOutput) recipient.sendNative(amountOut);
        } else {
            uint256 before = tokenOut.balanceOf(address(this));
            _execute(amountIn, order, address(this), by, program);
            amountOut = _growth(before, tokenOut.balanceOf(address(this)));
            address recipient = payout.payee();
            if (recipient == address(0)) recipient = msg.sender;
            else if (payout.feePpm != 0) amountOut = _takeFee(order, payout, amountOut);
            if (amountOut != 0) {
                before = tokenOut.balanceOf(recipient);
                tokenOut.transfer(recipient, amountOut);
                amountOut = _growth(before, tokenOut.balanceOf(recipient));
            }
        }
        _end(order, nativeBefore, amountOut);
    }

    /// @dev Swaps with the output sent by the Executor to the recipient.
    /// @param by Payment method of the input; ignored for native input.
    function _swapDirect(
        uint256 amountIn,
        Order calldata order,
        address recipient,
        uint256 by,
        bytes calldata program
    ) private returns (uint256 amountOut) {
        address tokenOut = order.outputToken();
        if (tokenOut == address(0)) revert DirectNative();
        uint256 nativeBefore = _nativeBefore();
        uint256 before = tokenOut.balanceOf(recipient);
        _execute(amountIn, order, recipient, by, program);
        amountOut = _growth(before, tokenOut.balanceOf(recipient));
        _end(order, nativeBefore, amountOut);
    }

    /// @dev Checks the output, returns unused native token to the sender, and unlocks.
    /// @param nativeBefore Native balance of the Guard before the swap, without the value of the call, in wei.
    /// @param amountOut Amount that the recipient received, in base units of the output.
    function _end(Order calldata order, uint256 nativeBefore, uint256 amountOut) private {
        if (amountOut < order.minOutput) {
            _needCode(order.runner());
            revert OutputTooLow(amountOut, order.minOutput);
        }
        // Native token that was not used belongs to the sender. An order cannot have both native input and native output.
        if (msg.value != 0) {
            uint256 unused = _growth(nativeBefore, address(this).balance);
            if (unused != 0) msg.sender.sendNative(unused);
        }
        _unlock();
    }

    /// @dev Locks, lends the input, runs the program, and ends the loan.
    /// @param recipient Account that the Executor sends the output to.
    function _execute(uint256 amountIn, Order calldata order, address recipient, uint256 by, bytes calldata program)
        private
    {
        address executor = order.runner();
        address tokenIn = order.inputToken();
        if (msg.value == 0) {
            // Only static calls came before, which cannot re-enter, or a permit, which locked first.
            _lock(executor, tokenIn, by);
            _lend(amountIn);
            _run(executor, 0, tokenIn, recipient, amountIn, program);
            _lend(0);
            return;
        }
        // Locks before it calls the wrapper, and lends after.
        _lock(executor, tokenIn, BY_GUARD);
        if (tokenIn == address(0)) return _run(executor, amountIn, tokenIn, recipient, amountIn, program);
        uint256 before = tokenIn.balanceOf(address(this));
        tokenIn.wrap(amountIn);
        // If the Guard held none before, a wrapper that gave too little makes the draw or the unwrapping fail.
        if (before != 0) {
            uint256 moved = _growth(before, tokenIn.balanceOf(address(this)));
            if (moved != amountIn) revert WrapMismatch(tokenIn, moved, amountIn);
        }
        _lend(amountIn);
        _run(executor, 0, tokenIn, recipient, amountIn, program);
        uint256 left = _notDrawn();
        if (left == 0) return;
        _lend(0);
        _unwrap(tokenIn, left);
    }

    /// @dev Runs a swap whose output is native token, or the payout's wrapper, which is unwrapped.
    /// @return amount Native output, in wei.
    function _executeForNative(
        uint256 amountIn,
        Order calldata order,
        Payout calldata payout,
        uint256 nativeBefore,
        uint256 by,
        bytes calldata program
    ) private returns (uint256 amount) {
        address wrapper = payout.wrapper;
        if (wrapper == address(0)) {
            _execute(amountIn, order, address(this), by, program);
        } else {
            uint256 before = wrapper.balanceOf(address(this));
            _execute(amountIn, order, address(this), by, program);
            amount = _growth(before, wrapper.balanceOf(address(this)));
            if (amount != 0) _unwrap(wrapper, amount);
        }
        amount = _growth(nativeBefore, address(this).balance);
    }

    /// @dev Unwraps exactly `amount`, or reverts.
    function _unwrap(address wrapper, uint256 amount) private {
        uint256 before = address(this).balance;
        wrapper.unwrap(amount);
        uint256 moved = _growth(before, address(this).balance);
        if (moved != amount) revert WrapMismatch(wrapper, moved, amount);
    }

    /// @dev Equals IExecutor(executor).execute{value: value}(Task(token, amount, recipient)) with the program appended, without the
    ///   check that the Executor has code: an Executor without code produces no output.
    function _run(
        address executor,
        uint256 value,
        address token,
        address recipient,
        uint256 amount,
        bytes calldata program
    ) private {
        uint256 selector = uint32(IExecutor.execute.selector);
        bool ok;
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, selector)
            mstore(add(free, 0x20), token)
            mstore(add(free, 0x40), amount)
            mstore(add(free, 0x60), recipient)
            calldatacopy(add(free, 0x80), program.offset, program.length)
            ok := call(gas(), executor, value, add(free, 0x1c), add(0x64, program.length), 0, 0)
        }
        if (ok) return;
        _needCode(executor);
        assembly ("memory-safe") {
            let free := mload(0x40)
            returndatacopy(free, 0, returndatasize())
            revert(free, returndatasize())
        }
    }

    /// @dev Called only after a failure, to report an Executor without code as its cause.
    function _needCode(address executor) private view {
        if (executor.code.length == 0) revert InvalidExecutor(executor);
    }

    /// @dev Pays the fee.
    /// @return kept `amount` minus the fee.
    function _takeFee(Order calldata order, Payout calldata payout, uint256 amount) private returns (uint256 kept) {
        uint256 fee = amount * payout.feePpm / PPM;
        // unchecked: the fee is at most a tenth of the amount.
        unchecked {
            kept = amount - fee;
        }
        if (fee == 0) return kept;
        if (order.tokenOut == address(0)) payout.feeRecipient.sendNative(fee);
        else order.tokenOut.transfer(payout.feeRecipient, fee);
    }

    /// @dev Checks lock and order. Runs before any external call.
    function _check(uint256 amountIn, Order calldata order) private view {
        if (_locked()) revert Reentrancy();
        order.check(amountIn);
    }

    /// @dev Returns the native balance of the Guard without the value of the call, in wei.
    function _nativeBefore() private view returns (uint256 held) {
        // unchecked: the value is part of the balance.
        unchecked {
            held = address(this).balance - msg.value;
        }
    }

    /// @dev Returns `later - before`, or zero if the balance fell.
    function _growth(uint256 before, uint256 later) private pure returns (uint256 grown) {
        assembly ("memory-safe") {
            grown := mul(gt(later, before), sub(later, before))
        }
    }
}
