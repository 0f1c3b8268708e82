// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice The five ways to swap in pools of Curve and of Saddle; older pools return nothing, so no answer is read.
interface ICurvePool {
    function exchange(int128 i, int128 j, uint256 amountIn, uint256 minOut) external payable;
    function exchange(uint256 i, uint256 j, uint256 amountIn, uint256 minOut) external payable;
    /// @dev Pools of Saddle and its forks, whose math is that of Curve.
    function swap(uint8 i, uint8 j, uint256 amountIn, uint256 minOut, uint256 deadline) external;
    /// @dev Pools of the NG kind: the input was sent before.
    function exchange_received(int128 i, int128 j, uint256 amountIn, uint256 minOut, address receiver) external;
    function exchange_received(uint256 i, uint256 j, uint256 amountIn, uint256 minOut, address receiver) external;
}
