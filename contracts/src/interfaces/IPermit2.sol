// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What the tests call of Permit2, through which several routers pull their input.
interface IPermit2 {
    function approve(address token, address spender, uint160 amount, uint48 expiration) external;
}
