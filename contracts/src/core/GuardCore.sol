// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IExecutor} from "../interfaces/IExecutor.sol";
import {IGuard} from "../interfaces/IGuard.sol";
import {Orders} from "../libraries/Orders.sol";
import {Transfers} from "../libraries/Transfers.sol";
import {Slots} from "../slots/Slots.sol";

/// @title GuardCore
/// @notice The one contract that users approve: no owner, no state, no upgrade, no callback, no call of the caller's choosing.
/// @dev All it ever calls: balanceOf, transfer and transferFrom of the order's tokens, deposit and withdraw of its wrappers,
///   execute of its Executor, and plain sends of native token. These hold for a hostile Executor, program, token or recipient:
///   1. `transferFrom` is called only with the sender of the swap in flight as its `from`.
///   2. At most the amount given leaves the sender.
///   3. When a swap returns, the sender's balance of `tokenOut` has grown by at least `minOutput`, or that much native was sent.
///   4. What the Guard held before a swap it holds after it.
///   5. The fee is floor(output × feePpm / 1e6), at most a tenth, and goes to the named recipient alone.
///   Tokens may return nothing, take a tax, rebase or call back. Stray tokens sent to the Guard stay there for good.
abstract contract GuardCore is IGuard, Slots {
    using Orders for Order;
    using Transfers for address;

    uint256 private constant PPM = 1_000_000;
    uint256 private constant MAX_FEE_PPM = 100_000;

    // Slots: set by a swap, zero outside of one. The token that `pullInput` draws is split over the first two, which
    // spares a third: its lower 96 bits lie above the Executor, its upper 64 above the payer.
    /// @dev The Executor of the swap in flight; never zero during one: the lock.
    uint256 private constant EXECUTOR = 0;
    /// @dev Whom `pullInput` draws from: the sender, or the Guard itself where it wrapped native input.
    uint256 private constant PAYER = 1;
    /// @dev How much `pullInput` may still draw.
    uint256 private constant REMAINING = 2;

    /// @dev Wrappers unwrap to here, and Executors hand native output over; nobody else has a reason to.
    receive() external payable {
        if (_get(EXECUTOR) == 0) revert UnexpectedNative(msg.sender);
    }

    /// @inheritdoc IGuard
    function swap(uint256 amountIn, Order calldata order, bytes calldata program) external returns (uint256) {
        if (order.inputToken() == address(0)) revert InvalidValue(0, amountIn);
        return _swap(amountIn, order, Orders.noPayout(), program);
    }

    /// @inheritdoc IGuard
    function swapNative(Order calldata order, bytes calldata program) external payable returns (uint256) {
        return _swap(msg.value, order, Orders.noPayout(), program);
    }

    /// @inheritdoc IGuard
    function swapWithPayout(uint256 amountIn, Order calldata order, Payout calldata payout, bytes calldata program)
        external
        payable
        returns (uint256)
    {
        _checkValue(amountIn, order);
        _checkPayout(order, payout);
        return _swap(amountIn, order, payout, program);
    }

    /// @inheritdoc IGuard
    function swapDirect(uint256 amountIn, Order calldata order, bytes calldata program)
        external
        payable
        returns (uint256 amountOut)
    {
        _checkValue(amountIn, order);
        _check(amountIn, order);
        address tokenOut = order.outputToken();
        if (tokenOut == address(0)) revert DirectNative();
        uint256 nativeBefore = _nativeBefore();
        uint256 before = tokenOut.balanceOf(msg.sender);
        _execute(amountIn, order, msg.sender, program);
        amountOut = _growth(before, tokenOut.balanceOf(msg.sender));
        _end(order, nativeBefore, amountOut);
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
            token := or(shr(160, executor), shl(96, shr(160, lender)))
            payer := shr(96, shl(96, lender))
        }
        if (payer == address(this)) token.transfer(to, amount);
        else token.transferFrom(payer, to, amount);
    }

    /// @inheritdoc IGuard
    function remaining() external view returns (uint256) {
        return _get(REMAINING);
    }

    /// @dev A swap whose output comes to the Guard, which passes it on.
    function _swap(uint256 amountIn, Order calldata order, Payout calldata payout, bytes calldata program)
        private
        returns (uint256 amountOut)
    {
        _check(amountIn, order);
        address tokenOut = order.outputToken();
        uint256 nativeBefore = _nativeBefore();
        if (tokenOut == address(0)) {
            amountOut = _executeForNative(amountIn, order, payout, nativeBefore, program);
            if (payout.feePpm != 0) amountOut = _takeFee(order, payout, amountOut);
            if (amountOut >= order.minOutput) msg.sender.sendNative(amountOut);
        } else {
            uint256 before = tokenOut.balanceOf(address(this));
            _execute(amountIn, order, address(this), program);
            amountOut = _growth(before, tokenOut.balanceOf(address(this)));
            if (payout.feePpm != 0) amountOut = _takeFee(order, payout, amountOut);
            if (amountOut != 0) {
                before = tokenOut.balanceOf(msg.sender);
                tokenOut.transfer(msg.sender, amountOut);
                amountOut = _growth(before, tokenOut.balanceOf(msg.sender));
            }
        }
        _end(order, nativeBefore, amountOut);
    }

    /// @dev Checks what the sender got, gives back what was not used, and unlocks.
    function _end(Order calldata order, uint256 nativeBefore, uint256 amountOut) private {
        if (amountOut < order.minOutput) {
            _needCode(order.runner());
            revert OutputTooLow(amountOut, order.minOutput);
        }
        // Native that the Executor did not use or handed back is the sender's. Native output excludes native input.
        if (msg.value != 0) {
            uint256 unused = _growth(nativeBefore, address(this).balance);
            if (unused != 0) msg.sender.sendNative(unused);
        }
        _set(PAYER, 0);
        _set(EXECUTOR, 0);
    }

    /// @dev Locks, lends the input, runs the program and ends the loan.
    /// @param recipient Where the Executor is to send the output.
    function _execute(uint256 amountIn, Order calldata order, address recipient, bytes calldata program) private {
        address executor = order.runner();
        address tokenIn = order.inputToken();
        if (msg.value == 0) {
            // Until here only balances were read, in static calls that cannot re-enter.
            _lock(executor, msg.sender, tokenIn);
            _set(REMAINING, amountIn);
            _run(executor, 0, tokenIn, recipient, amountIn, program);
            _set(REMAINING, 0);
            return;
        }
        // Locked before the wrapper is called, and nothing is lent until it has been.
        _lock(executor, address(this), tokenIn);
        if (tokenIn == address(0)) return _run(executor, amountIn, tokenIn, recipient, amountIn, program);
        uint256 before = tokenIn.balanceOf(address(this));
        tokenIn.wrap(amountIn);
        // Where the Guard held none of it, a wrapper that gave too little has nothing to lend: the draw or the unwrapping fails.
        if (before != 0) {
            uint256 moved = _growth(before, tokenIn.balanceOf(address(this)));
            if (moved != amountIn) revert WrapMismatch(tokenIn, moved, amountIn);
        }
        _set(REMAINING, amountIn);
        _run(executor, 0, tokenIn, recipient, amountIn, program);
        uint256 left = _get(REMAINING);
        if (left == 0) return;
        _set(REMAINING, 0);
        _unwrap(tokenIn, left);
    }

    /// @dev Has the output come as native, or in the payout's wrapper and unwraps it.
    /// @return amount How much there is now.
    function _executeForNative(
        uint256 amountIn,
        Order calldata order,
        Payout calldata payout,
        uint256 nativeBefore,
        bytes calldata program
    ) private returns (uint256 amount) {
        address wrapper = payout.wrapper;
        if (wrapper == address(0)) {
            _execute(amountIn, order, address(this), program);
        } else {
            uint256 before = wrapper.balanceOf(address(this));
            _execute(amountIn, order, address(this), program);
            amount = _growth(before, wrapper.balanceOf(address(this)));
            if (amount != 0) _unwrap(wrapper, amount);
        }
        amount = _growth(nativeBefore, address(this).balance);
    }

    function _unwrap(address wrapper, uint256 amount) private {
        uint256 before = address(this).balance;
        wrapper.unwrap(amount);
        uint256 moved = _growth(before, address(this).balance);
        if (moved != amount) revert WrapMismatch(wrapper, moved, amount);
    }

    /// @dev Equals IExecutor(executor).execute{value: value}(Task(token, amount, recipient)) with the program behind, without the
    ///   check that the Executor has code: one without brings no output, or fails as some precompiles do.
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

    /// @param token What `pullInput` is to draw from `payer`.
    function _lock(address executor, address payer, address token) private {
        uint256 first;
        uint256 second;
        assembly ("memory-safe") {
            first := or(executor, shl(160, token))
            second := or(payer, shl(160, shr(96, token)))
        }
        _set(EXECUTOR, first);
        _set(PAYER, second);
    }

    /// @dev Looked at only where something went wrong, of which an Executor without code is the reason then.
    function _needCode(address executor) private view {
        if (executor.code.length == 0) revert InvalidExecutor(executor);
    }

    /// @return kept What is left of `amount` for the sender.
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

    /// @dev What is wrong with the order itself; nothing has been called yet.
    function _check(uint256 amountIn, Order calldata order) private view {
        if (_get(EXECUTOR) != 0) revert Reentrancy();
        order.check();
        address tokenIn = order.inputToken();
        address tokenOut = order.outputToken();
        address executor = order.runner();
        uint256 minOutput = order.minOutput;
        uint256 deadline = order.deadline;
        bool late;
        bool nothing;
        bool same;
        bool refused;
        bool wrong;
        assembly ("memory-safe") {
            late := gt(timestamp(), deadline)
            nothing := or(iszero(amountIn), iszero(minOutput))
            // Value is native input, in whatever wrapper it is lent.
            same := or(eq(tokenIn, tokenOut), and(gt(callvalue(), 0), iszero(tokenOut)))
            refused := or(eq(executor, address()), or(eq(executor, tokenIn), eq(executor, tokenOut)))
            // One branch for them all where nothing is wrong.
            wrong := or(or(late, nothing), or(same, refused))
        }
        if (!wrong) return;
        if (late) revert Expired(deadline, block.timestamp);
        if (nothing) revert ZeroAmount();
        if (same) revert SameToken(tokenOut);
        revert InvalidExecutor(executor);
    }

    /// @dev Of a swap that names its amount: the value is that amount, or none where a token is given.
    function _checkValue(uint256 amountIn, Order calldata order) private view {
        if (msg.value == 0 ? order.tokenIn == address(0) : msg.value != amountIn) revert InvalidValue(msg.value, amountIn);
    }

    /// @dev Were its wrapper also the input, what is given back of that would count as output.
    function _checkPayout(Order calldata order, Payout calldata payout) private view {
        address wrapper = payout.wrapper;
        if (wrapper != address(0)) {
            if (order.tokenOut != address(0)) revert InvalidWrapper(wrapper);
            if (wrapper == order.tokenIn) revert SameToken(wrapper);
            if (wrapper == order.executor) revert InvalidExecutor(wrapper);
        }
        address recipient = payout.feeRecipient;
        if (payout.feePpm == 0) return;
        if (payout.feePpm > MAX_FEE_PPM) revert FeeTooHigh(payout.feePpm, MAX_FEE_PPM);
        if (recipient == address(0) || recipient == address(this)) revert InvalidFeeRecipient(recipient);
    }

    function _nativeBefore() private view returns (uint256 held) {
        // unchecked: the value is part of the balance.
        unchecked {
            held = address(this).balance - msg.value;
        }
    }

    /// @dev Zero where the balance fell.
    function _growth(uint256 before, uint256 later) private pure returns (uint256 grown) {
        assembly ("memory-safe") {
            grown := mul(gt(later, before), sub(later, before))
        }
    }
}
