// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getter and event of factories with one pool for each pair and tick spacing: Slipstream and its forks.
interface ISlipstreamFactory {
    event PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool);

    /// @return pool Zero if there is no pool.
    function getPool(address tokenA, address tokenB, int24 tickSpacing) external view returns (address pool);
}
