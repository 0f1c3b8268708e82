// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Calls of this project to a uniswap-v2 style pair, of any fork.
interface IUniswapV2Pair {
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}
