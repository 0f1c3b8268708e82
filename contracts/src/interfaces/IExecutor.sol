// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title IExecutor
/// @notice Runs a program of swaps for its Guard. It keeps no tokens between calls and needs no approvals.
/// @dev The byte format of programs is in libraries/Program.sol and packages/program/src/format.ts.
interface IExecutor {
    /// @notice Input and recipient of a program.
    struct Task {
        /// @dev Token that `pullInput` draws; zero if the input is the value of the call.
        address tokenIn;
        /// @dev Whole input, in base units.
        uint256 amountIn;
        /// @dev Recipient of steps whose output kind is RECIPIENT: the Guard, or in direct mode the recipient of the swap.
        address recipient;
    }

    /// @notice The caller of `execute` is not the Guard.
    error NotGuard(address caller);
    /// @notice The byte at `offset` of the calldata is not an opcode of this Executor.
    error UnknownOpcode(uint256 offset, uint256 opcode);
    /// @notice The family of the step does not support the input kind, output kind, or amount.
    error InvalidStep(uint256 flags);
    /// @notice A step ends at calldata offset `needed`, beyond the end of the program at `end`.
    error ProgramTooShort(uint256 needed, uint256 end);
    /// @notice `sender` called back while `expected` was being called; zero if no callback was expected.
    error UnexpectedCallback(address sender, address expected);
    /// @notice `pool` returned without its callback.
    error CallbackMissing(address pool);
    /// @notice `pool` left `unsold` base units of the input that the Executor held for it, which would stay in the Executor.
    error PartialFill(address pool, uint256 unsold);
    /// @notice A transfer or approval of `token` failed or returned false.
    error TransferFailed(address token, address to, uint256 amount);
    /// @notice `to` refused `amount` of the native token.
    error NativeTransferFailed(address to, uint256 amount);
    /// @notice A read from `target` returned less than a word, or `target` has no code.
    error ReadFailed(address target);

    /// @notice Runs the program that follows the arguments, up to the end of calldata. A malformed step reverts. Callable only by the
    ///   Guard; the sender's tokens are drawn through `IGuard.pullInput`.
    /// @param task Input and recipient of the program.
    function execute(Task calldata task) external payable;
}
