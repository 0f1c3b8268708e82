// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What the Guard calls of a token with signed approvals (EIP-2612).
interface IERC2612 {
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external;
}
