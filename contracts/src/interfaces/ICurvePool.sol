// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice The five swap functions of Curve and Saddle pools. Older pools return no data, so the interface omits all
///   return values.
/// @dev `i` is the index of the coin that is sold, and `j` of the coin that is bought.
interface ICurvePool {
    function exchange(int128 i, int128 j, uint256 amountIn, uint256 minOut) external payable;
    function exchange(uint256 i, uint256 j, uint256 amountIn, uint256 minOut) external payable;
    /// @dev Pools of Saddle and its forks.
    function swap(uint8 i, uint8 j, uint256 amountIn, uint256 minOut, uint256 deadline) external;
    /// @dev NG pools. The caller transfers the input to the pool before the call.
    function exchange_received(int128 i, int128 j, uint256 amountIn, uint256 minOut, address receiver) external;
    /// @dev Like the previous function, with unsigned indices.
    function exchange_received(uint256 i, uint256 j, uint256 amountIn, uint256 minOut, address receiver) external;
}
