// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Curve's four ways to swap; older pools return nothing, so no answer is read.
interface ICurvePool {
    function exchange(int128 i, int128 j, uint256 amountIn, uint256 minOut) external payable;
    function exchange(uint256 i, uint256 j, uint256 amountIn, uint256 minOut) external payable;
    /// @dev Pools of the NG kind: the input was sent before.
    function exchange_received(int128 i, int128 j, uint256 amountIn, uint256 minOut, address receiver) external;
    function exchange_received(uint256 i, uint256 j, uint256 amountIn, uint256 minOut, address receiver) external;
}
