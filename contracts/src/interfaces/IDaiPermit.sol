// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What the Guard calls of a token with signed approvals in DAI's form, which is older than EIP-2612.
interface IDaiPermit {
    function permit(
        address holder,
        address spender,
        uint256 nonce,
        uint256 expiry,
        bool allowed,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;
}
