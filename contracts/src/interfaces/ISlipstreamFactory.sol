// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Calls of this project to a factory whose pools are told apart by tick spacing, of any fork.
interface ISlipstreamFactory {
    event PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool);

    function getPool(address tokenA, address tokenB, int24 tickSpacing) external view returns (address pool);
}
