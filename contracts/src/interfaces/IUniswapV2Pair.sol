// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Functions of a pair of Uniswap V2 and its forks. Amounts are in base units.
interface IUniswapV2Pair {
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast);
    /// @notice Pays the outputs to `to`. Reverts if the input that the pair received before the call does not pay for
    ///   them.
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}
