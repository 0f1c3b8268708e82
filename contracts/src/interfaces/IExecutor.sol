// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title IExecutor
/// @notice Runs a program of swaps for its Guard. It owns nothing between calls, and no one needs to approve it.
/// @dev The program's byte format is tabled in libraries/Program.sol and in packages/program/src/format.ts.
interface IExecutor {
    struct Task {
        /// @dev What `pullInput` draws; zero where the input comes with the call as native token.
        address tokenIn;
        /// @dev All that there is of the input.
        uint256 amountIn;
        /// @dev Where output goes that a step does not send elsewhere.
        address recipient;
    }

    /// @notice `execute` was called by someone else than the Guard.
    error NotGuard(address caller);
    /// @notice The byte at `offset` of the calldata is not an opcode of this Executor.
    error UnknownOpcode(uint256 offset, uint256 opcode);
    /// @notice A step with these flags asks for an input or output kind that its family cannot serve.
    error InvalidStep(uint256 flags);
    /// @notice A step ends at `needed` of the calldata, beyond the program's end at `end`.
    error ProgramTooShort(uint256 needed, uint256 end);
    /// @notice A callback came from `sender` while `expected` was being called; zero when no pool was.
    error UnexpectedCallback(address sender, address expected);
    /// @notice `pool` returned without asking for its payment.
    error CallbackMissing(address pool);
    /// @notice `token` refused a transfer or answered it with false.
    error TransferFailed(address token, address to, uint256 amount);
    /// @notice `to` refused `amount` of the native token.
    error NativeTransferFailed(address to, uint256 amount);
    /// @notice `target` has no code or did not answer a read with a whole word.
    error ReadFailed(address target);

    /// @notice Runs the program that stands behind the arguments, up to the end of the calldata: steps back to back, of which a
    ///   malformed one reverts. Only for the Guard; its sender's tokens are drawn through `IGuard.pullInput`.
    /// @param task What the program works on.
    function execute(Task calldata task) external payable;
}
