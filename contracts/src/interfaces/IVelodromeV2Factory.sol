// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getters and event of factories of Velodrome V2 and its forks.
interface IVelodromeV2Factory {
    event PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 count);

    /// @return pool Zero if there is no pool.
    function getPool(address tokenA, address tokenB, bool stable) external view returns (address pool);
    /// @return Fee of the pool in basis points.
    function getFee(address pool, bool stable) external view returns (uint256);
}
