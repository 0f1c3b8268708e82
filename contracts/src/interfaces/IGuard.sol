// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title IGuard
/// @notice The one contract that users approve. It lends an Executor the input, checks what comes back and pays the sender.
/// @dev Amounts are in the token's smallest unit. The zero address is the native token.
interface IGuard {
    /// @notice What the sender agrees to. Everything else is in the program, which no one needs to trust.
    struct Order {
        /// @dev Token given; zero for native, and then `msg.value` must equal `amountIn`.
        address tokenIn;
        /// @dev Most of `tokenIn` that may leave the sender; above zero.
        uint256 amountIn;
        /// @dev Token received; zero for native.
        address tokenOut;
        /// @dev Least growth of the sender's balance of `tokenOut`, after fee and taxes; above zero.
        uint256 minOutput;
        /// @dev Last second (block timestamp) at which the swap may run.
        uint256 deadline;
        /// @dev Contract that runs the program.
        address executor;
        /// @dev Native input: the Guard wraps it here and lends the wrapped token; zero hands native to the Executor.
        ///   Native output: what the Guard receives of the wrapped token it unwraps here. Otherwise zero.
        address wrapper;
        /// @dev Part of the output paid to `feeRecipient`, in parts per million; at most 100,000 (10 %).
        uint256 feePpm;
        /// @dev Receives the fee; ignored when `feePpm` is zero.
        address feeRecipient;
        /// @dev The Executor pays the sender itself, for output tokens that take a tax on every transfer. Excludes a fee.
        bool direct;
    }

    /// @notice The block is later than the order allows.
    error Expired(uint256 deadline, uint256 timestamp);
    /// @notice A swap is in flight in this transaction already.
    error Reentrancy();
    /// @notice Two of input, output and wrapper are the same token.
    error SameToken(address token);
    /// @notice `amountIn` or `minOutput` is zero.
    error ZeroAmount();
    /// @notice `msg.value` differs from what the order needs: `amountIn` for native input, zero otherwise.
    error InvalidValue(uint256 sent, uint256 expected);
    /// @notice The Executor has no code, or is the Guard or one of the order's tokens.
    error InvalidExecutor(address executor);
    /// @notice A wrapper was named although neither input nor output is native.
    error InvalidWrapper(address wrapper);
    /// @notice The fee is above the cap, or not zero in direct mode where the cap is zero.
    error FeeTooHigh(uint256 feePpm, uint256 maxFeePpm);
    /// @notice Direct mode with native output: what a wallet forwards on receipt cannot be told from what never came.
    error DirectNative();
    /// @notice A fee is due to the zero address or to the Guard.
    error InvalidFeeRecipient(address feeRecipient);
    /// @notice The sender would receive less than agreed.
    error OutputTooLow(uint256 received, uint256 minOutput);
    /// @notice Wrapping or unwrapping moved another amount than asked for.
    error WrapMismatch(address wrapper, uint256 moved, uint256 expected);
    /// @notice `pull` by someone else than the Executor of the swap in flight.
    error NotExecutor(address caller);
    /// @notice `pull` of more than what is left of the input, or to the Guard itself.
    error InvalidPull(address to, uint256 amount, uint256 remaining);
    /// @notice Native token sent to the Guard while no swap is in flight.
    error UnexpectedNative(address from);
    /// @notice `token` refused a transfer or answered it with false.
    error TransferFailed(address token, address to, uint256 amount);
    /// @notice `to` refused `amount` of the native token.
    error NativeTransferFailed(address to, uint256 amount);
    /// @notice `target` has no code or did not answer a read with a whole word.
    error ReadFailed(address target);

    /// @notice Swaps for the caller, or reverts and moves nothing.
    /// @param order What the caller agrees to.
    /// @param program What the Executor runs to get there.
    /// @return amountOut What the caller received: growth of its balance of an ERC-20, amount sent of the native token.
    function swap(Order calldata order, bytes calldata program) external payable returns (uint256 amountOut);

    /// @notice Sends `amount` of the swap's input from its sender (or of the wrapped native) to `to`.
    /// @dev Only for the Executor of the swap in flight, and never more than `amountIn` in all.
    function pull(address to, uint256 amount) external;

    /// @notice What `pull` may still draw; zero when no swap is in flight.
    function remaining() external view returns (uint256);
}
