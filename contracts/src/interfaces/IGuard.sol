// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title IGuard
/// @notice The only contract that users approve. It lends an Executor the input, checks the output, and pays the recipient: the
///   sender, unless the call names another account.
/// @dev Amounts are in base units of the token. The zero address is the native token.
interface IGuard {
    /// @notice Terms of a swap that the sender agrees to. Everything else is in the program, which is not trusted.
    struct Order {
        /// @dev Input token. If the call has value: the wrapper in which the Guard lends it, or zero to forward it to the Executor
        ///   as native token.
        address tokenIn;
        /// @dev Output token; zero for native token.
        address tokenOut;
        /// @dev Minimum growth of the recipient's balance of `tokenOut` after fee and taxes, in base units; above zero.
        uint256 minOutput;
        /// @dev Last block timestamp at which the swap may run, in Unix seconds.
        uint256 deadline;
        /// @dev Contract that runs the program. It is not trusted.
        address executor;
    }

    /// @notice Recipient, fee, and unwrapping of the output.
    struct Payout {
        /// @dev Receives the output. Not zero, the Guard, the Executor, a token of the order, or the wrapper.
        address recipient;
        /// @dev Part of the output paid to `feeRecipient`, in parts per million; at most 100,000 (10 %).
        uint256 feePpm;
        /// @dev Receives the fee; ignored when `feePpm` is zero.
        address feeRecipient;
        /// @dev For native output: the wrapper that the Executor pays and the Guard unwraps. Otherwise zero.
        address wrapper;
    }

    /// @notice Kind of the sender's permit.
    /// @dev Eip2612: permit(owner, spender, value, deadline, v, r, s) of the input token. Dai: DAI's own form, which is unlimited.
    ///   Permit2: an allowance in the Permit2 contract, which then transfers the input.
    enum PermitKind {
        Eip2612,
        Dai,
        Permit2
    }

    /// @notice The caller's signed permit for the Guard to draw the input. The owner is always the caller, the spender the Guard, and
    ///   the token the input, so no field names them. A permit that fails, for example because it was submitted before, does not
    ///   stop the swap: the allowance decides. A swap draws at most its amount, whatever the permit allows.
    struct Permit {
        PermitKind kind;
        /// @dev Permitted amount in base units; Permit2 uses its lower 160 bits. Ignored for Dai, whose permit is unlimited.
        uint256 amount;
        /// @dev For Dai, the caller's nonce; for Permit2, the nonce of caller, token, and Guard (lower 48 bits). Ignored for Eip2612.
        uint256 nonce;
        /// @dev Last Unix second at which the signature is valid. For Permit2 its lower 48 bits also end the allowance.
        uint256 deadline;
        /// @dev r, s, and v in 65 bytes, or another form that Permit2 accepts. Empty if the allowance exists already.
        bytes signature;
    }

    /// @notice The block is later than the order allows.
    error Expired(uint256 deadline, uint256 timestamp);
    /// @notice A swap is already in flight.
    error Reentrancy();
    /// @notice Two of input, output and wrapper are the same token; native input and its wrapper count as one.
    error SameToken(address token);
    /// @notice The input amount or `minOutput` is zero.
    error ZeroAmount();
    /// @notice The value of the call differs from the input amount, or is zero for native input.
    error InvalidValue(uint256 sent, uint256 expected);
    /// @notice The Executor has no code, or is the Guard or one of the order's tokens.
    error InvalidExecutor(address executor);
    /// @notice A wrapper was named although the output is not native.
    error InvalidWrapper(address wrapper);
    /// @notice The fee is above the cap.
    error FeeTooHigh(uint256 feePpm, uint256 maxFeePpm);
    /// @notice Direct mode does not support native output: a wallet may forward it on receipt, so its balance proves nothing.
    error DirectNative();
    /// @notice The fee recipient is the zero address or the Guard.
    error InvalidFeeRecipient(address feeRecipient);
    /// @notice The recipient is zero, the Guard, the Executor, a token of the order, or the wrapper.
    error InvalidRecipient(address recipient);
    /// @notice The recipient would receive less than agreed.
    error OutputTooLow(uint256 received, uint256 minOutput);
    /// @notice Wrapping or unwrapping moved `moved` base units instead of `expected`.
    error WrapMismatch(address wrapper, uint256 moved, uint256 expected);
    /// @notice The caller of `pullInput` is not the Executor of the swap in flight.
    error NotExecutor(address caller);
    /// @notice `pullInput` asked for more than `remaining`, or for a transfer to the Guard.
    error InvalidPull(address to, uint256 amount, uint256 remaining);
    /// @notice Native token sent to the Guard while no swap is in flight.
    error UnexpectedNative(address from);
    /// @notice A transfer or approval of `token` failed or returned false.
    error TransferFailed(address token, address to, uint256 amount);
    /// @notice `to` refused `amount` of the native token.
    error NativeTransferFailed(address to, uint256 amount);
    /// @notice A read from `target` returned less than a word, or `target` has no code.
    error ReadFailed(address target);

    /// @notice Swaps a token for the caller, or reverts. The same holds for the five functions below.
    /// @dev `swap` and `pullInput` have the lowest selectors, since the dispatcher compares selectors in order.
    /// @param amountIn Maximum input that may leave the caller, in base units of `order.tokenIn`; above zero.
    /// @param order Terms of the swap.
    /// @param program Steps for the Executor.
    /// @return amountOut Output in base units: growth of the recipient's balance, or native token sent.
    function swap(uint256 amountIn, Order calldata order, bytes calldata program) external returns (uint256 amountOut);

    /// @notice Swaps the value of the call.
    function swapNative(Order calldata order, bytes calldata program) external payable returns (uint256 amountOut);

    /// @notice Swaps a token or the value of the call, with another recipient, unwrapping, or a fee.
    /// @param amountIn As for `swap`; for native input, the value of the call.
    /// @param payout Recipient, fee, and unwrapping of the output.
    function swapWithPayout(uint256 amountIn, Order calldata order, Payout calldata payout, bytes calldata program)
        external
        payable
        returns (uint256 amountOut);

    /// @notice Swaps a token or the value of the call; the Executor pays the recipient. For output tokens with a transfer tax.
    /// @param amountIn As for `swapWithPayout`.
    /// @param recipient As `Payout.recipient`; the caller or another account.
    function swapDirect(uint256 amountIn, address recipient, Order calldata order, bytes calldata program)
        external
        payable
        returns (uint256 amountOut);

    /// @notice Swaps a token that the caller's permit lets the Guard draw.
    /// @param amountIn As for `swap`.
    /// @param payout As for `swapWithPayout`; only the recipient is nonzero without unwrapping and fee.
    function swapWithPermit(
        uint256 amountIn,
        Order calldata order,
        Permit calldata permit,
        Payout calldata payout,
        bytes calldata program
    ) external returns (uint256 amountOut);

    /// @notice Combines `swapWithPermit` and `swapDirect`.
    function swapDirectWithPermit(
        uint256 amountIn,
        address recipient,
        Order calldata order,
        Permit calldata permit,
        bytes calldata program
    ) external returns (uint256 amountOut);

    /// @notice Sends `amount` base units of the input from the sender (or of wrapped native input) to `to`.
    /// @dev Callable only by the Executor of the swap in flight, for at most the input amount in total.
    function pullInput(address to, uint256 amount) external;

    /// @notice Returns the base units that `pullInput` may still draw; zero if no swap is in flight.
    function remaining() external view returns (uint256);
}
