// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Custom errors of widely used token libraries. The simulation decodes revert data with them. Names and types
///   are those of the published sources. The first four bytes of the revert data are the selector of the error.
interface ITokenErrors {
    // ERC-6093, OpenZeppelin 5
    error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed);
    error ERC20InvalidSender(address sender);
    error ERC20InvalidReceiver(address receiver);
    error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed);
    error ERC20InvalidApprover(address approver);
    error ERC20InvalidSpender(address spender);
    error SafeERC20FailedOperation(address token);
    error OwnableUnauthorizedAccount(address account);
    error EnforcedPause();
    error ReentrancyGuardReentrantCall();
    error FailedCall();
    error AddressEmptyCode(address target);

    // Solady
    error InsufficientBalance();
    error InsufficientAllowance();
    error TransferFailed();
    error TransferFromFailed();
    error ETHTransferFailed();
    error ApproveFailed();
    error Unauthorized();
    error Reentrancy();
}
