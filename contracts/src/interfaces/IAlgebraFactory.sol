// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Calls of this project to Algebra's factories.
interface IAlgebraFactory {
    event Pool(address indexed token0, address indexed token1, address pool);
    /// @dev Integral only.
    event CustomPool(address indexed deployer, address indexed token0, address indexed token1, address pool);

    function poolByPair(address tokenA, address tokenB) external view returns (address pool);
    /// @dev Integral only.
    function customPoolByPair(address deployer, address tokenA, address tokenB) external view returns (address pool);
}
