// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Functions and events of Algebra's factories. Pool addresses are zero if there is no pool.
interface IAlgebraFactory {
    /// @notice Emitted when the factory creates the only pool of a pair that is not of a custom deployer.
    event Pool(address indexed token0, address indexed token1, address pool);
    /// @notice Emitted when a custom deployer creates a pool. Integral only.
    event CustomPool(address indexed deployer, address indexed token0, address indexed token1, address pool);

    function poolByPair(address tokenA, address tokenB) external view returns (address pool);
    /// @notice Returns the pool that a custom deployer created for a pair. Integral only.
    function customPoolByPair(address deployer, address tokenA, address tokenB) external view returns (address pool);
}
