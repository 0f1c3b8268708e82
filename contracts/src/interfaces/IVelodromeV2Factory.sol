// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Calls of this project to velodrome-v2 style factories, of any fork.
interface IVelodromeV2Factory {
    event PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 count);

    function getPool(address tokenA, address tokenB, bool stable) external view returns (address pool);
    /// @dev In hundredths of a percent.
    function getFee(address pool, bool stable) external view returns (uint256);
}
