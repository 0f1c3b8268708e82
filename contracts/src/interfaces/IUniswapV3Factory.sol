// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Calls of this project to a uniswap-v3 style factory, of any fork.
interface IUniswapV3Factory {
    event PoolCreated(
        address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool
    );

    function feeAmountTickSpacing(uint24 fee) external view returns (int24 tickSpacing);
    function getPool(address tokenA, address tokenB, uint24 fee) external view returns (address pool);
}
