// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Calls of this project to a uniswap-v2 style factory, of any fork.
interface IUniswapV2Factory {
    event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count);

    function getPair(address tokenA, address tokenB) external view returns (address pair);
}
