// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getters and event of factories of Uniswap V3 and its forks. Fees are in ppm.
interface IUniswapV3Factory {
    event PoolCreated(
        address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool
    );

    /// @return tickSpacing Zero if the factory does not offer the fee.
    function feeAmountTickSpacing(uint24 fee) external view returns (int24 tickSpacing);
    /// @return pool Zero if there is no pool.
    function getPool(address tokenA, address tokenB, uint24 fee) external view returns (address pool);
}
