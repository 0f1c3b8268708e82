// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title IGuard
/// @notice The one contract that users approve. It lends an Executor the input, checks what comes back and pays the recipient,
///   who is the sender unless the call names another.
/// @dev Amounts are in the token's smallest unit. The zero address is the native token.
interface IGuard {
    /// @notice What the sender agrees to. Everything else is in the program, which no one needs to trust.
    struct Order {
        /// @dev Token given. Where value comes with the call: the wrapper in which the Guard lends it, or zero for the
        ///   Executor to have it as it came.
        address tokenIn;
        /// @dev Token received; zero for native.
        address tokenOut;
        /// @dev Least growth of the recipient's balance of `tokenOut`, after fee and taxes; above zero.
        uint256 minOutput;
        /// @dev Last second (block timestamp) at which the swap may run.
        uint256 deadline;
        /// @dev Contract that runs the program.
        address executor;
    }

    /// @notice Who receives the output, and what becomes of it before.
    struct Payout {
        /// @dev Receives the output. Not zero, the Guard, the Executor, a token of the order, or the wrapper.
        address recipient;
        /// @dev Part of the output paid to `feeRecipient`, in parts per million; at most 100,000 (10 %).
        uint256 feePpm;
        /// @dev Receives the fee; ignored when `feePpm` is zero.
        address feeRecipient;
        /// @dev Native output: what the Guard receives of the wrapped token it unwraps here. Otherwise zero.
        address wrapper;
    }

    /// @notice Whose signature lets the input be drawn.
    /// @dev Eip2612: permit(owner, spender, value, deadline, v, r, s) of the input token. Dai: the form of DAI's own, which is
    ///   unlimited. Permit2: an allowance of the Permit2 contract, through which the input is drawn then.
    enum PermitKind {
        Eip2612,
        Dai,
        Permit2
    }

    /// @notice The caller's signed permission that the Guard draws the input. Its owner is always the caller, its spender the
    ///   Guard and its token the input, so no field says so. One that fails, because somebody used it already, stops nothing:
    ///   the allowance counts. However much it permits, a swap draws no more than its amount.
    struct Permit {
        PermitKind kind;
        /// @dev What is permitted, below 2^160 by Permit2. Dai's is unlimited and this ignored.
        uint256 amount;
        /// @dev Of the caller at Dai, or of caller, token and Guard at Permit2. Ignored for Eip2612, whose signature holds it.
        uint256 nonce;
        /// @dev Last second at which the signature is good; by Permit2, also the allowance.
        uint256 deadline;
        /// @dev r, s and v in 65 bytes; for Permit2 what it knows besides. Empty where the permission was given before.
        bytes signature;
    }

    /// @notice The block is later than the order allows.
    error Expired(uint256 deadline, uint256 timestamp);
    /// @notice A swap is in flight in this transaction already.
    error Reentrancy();
    /// @notice Two of input, output and wrapper are the same token; native input and its wrapper count as one.
    error SameToken(address token);
    /// @notice The amount given, or `minOutput`, is zero.
    error ZeroAmount();
    /// @notice Value came that is not the amount given, or none for native input.
    error InvalidValue(uint256 sent, uint256 expected);
    /// @notice The Executor has no code, or is the Guard or one of the order's tokens.
    error InvalidExecutor(address executor);
    /// @notice A wrapper was named although the output is not native.
    error InvalidWrapper(address wrapper);
    /// @notice The fee is above the cap.
    error FeeTooHigh(uint256 feePpm, uint256 maxFeePpm);
    /// @notice Direct mode with native output: what a wallet forwards on receipt cannot be told from what never came.
    error DirectNative();
    /// @notice A fee is due to the zero address or to the Guard.
    error InvalidFeeRecipient(address feeRecipient);
    /// @notice The recipient is zero, the Guard, the Executor, a token of the order, or the wrapper.
    error InvalidRecipient(address recipient);
    /// @notice The recipient would receive less than agreed.
    error OutputTooLow(uint256 received, uint256 minOutput);
    /// @notice Wrapping or unwrapping moved another amount than asked for.
    error WrapMismatch(address wrapper, uint256 moved, uint256 expected);
    /// @notice `pullInput` by someone else than the Executor of the swap in flight.
    error NotExecutor(address caller);
    /// @notice `pullInput` of more than what is left of the input, or to the Guard itself.
    error InvalidPull(address to, uint256 amount, uint256 remaining);
    /// @notice Native token sent to the Guard while no swap is in flight.
    error UnexpectedNative(address from);
    /// @notice `token` refused a transfer or answered it with false.
    error TransferFailed(address token, address to, uint256 amount);
    /// @notice `to` refused `amount` of the native token.
    error NativeTransferFailed(address to, uint256 amount);
    /// @notice `target` has no code or did not answer a read with a whole word.
    error ReadFailed(address target);

    /// @notice Swaps a token for the caller, or reverts and moves nothing. The same holds for the five functions below.
    /// @dev `swap` and `pullInput` have the lowest selectors of all, since the compiler tries them in order.
    /// @param amountIn Most of `order.tokenIn` that may leave the caller; above zero.
    /// @param order What the caller agrees to.
    /// @param program What the Executor runs to get there.
    /// @return amountOut What the recipient received: growth of its balance of an ERC-20, amount sent of the native token.
    function swap(uint256 amountIn, Order calldata order, bytes calldata program) external returns (uint256 amountOut);

    /// @notice Swaps the native token that comes with the call.
    function swapNative(Order calldata order, bytes calldata program) external payable returns (uint256 amountOut);

    /// @notice Swaps either, for output that goes to another recipient, that is unwrapped, or of which a part is a fee.
    /// @param amountIn As for `swap`; where native is given, what comes with the call.
    function swapWithPayout(uint256 amountIn, Order calldata order, Payout calldata payout, bytes calldata program)
        external
        payable
        returns (uint256 amountOut);

    /// @notice Swaps either, for an output token that takes a tax on every transfer: the Executor pays the recipient itself.
    /// @param amountIn As for `swapWithPayout`.
    /// @param recipient As `Payout.recipient`; the caller itself, or another.
    function swapDirect(uint256 amountIn, address recipient, Order calldata order, bytes calldata program)
        external
        payable
        returns (uint256 amountOut);

    /// @notice Swaps a token that the caller's signature permits to draw.
    /// @param amountIn As for `swap`.
    /// @param payout As for `swapWithPayout`; all zero but the recipient if nothing is unwrapped and no fee is due.
    function swapWithPermit(
        uint256 amountIn,
        Order calldata order,
        Permit calldata permit,
        Payout calldata payout,
        bytes calldata program
    ) external returns (uint256 amountOut);

    /// @notice Swaps such a token for one that takes a tax on every transfer, as `swapDirect` does.
    function swapDirectWithPermit(
        uint256 amountIn,
        address recipient,
        Order calldata order,
        Permit calldata permit,
        bytes calldata program
    ) external returns (uint256 amountOut);

    /// @notice Sends `amount` of the swap's input from its sender (or of the wrapped native) to `to`.
    /// @dev Only for the Executor of the swap in flight, and never more than the amount given in all.
    function pullInput(address to, uint256 amount) external;

    /// @notice What `pullInput` may still draw; zero when no swap is in flight.
    function remaining() external view returns (uint256);
}
