// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getter and event of factories of Uniswap V2 and its forks.
interface IUniswapV2Factory {
    event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count);

    /// @return pair Zero if there is no pair.
    function getPair(address tokenA, address tokenB) external view returns (address pair);
}
