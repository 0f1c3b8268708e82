// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice The wrapped native token of a chain: WETH9 and those that answer the same two calls.
interface IWrappedNative {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}
