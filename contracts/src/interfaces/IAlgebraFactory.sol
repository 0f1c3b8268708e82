// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Calls of this project to Algebra's factories.
interface IAlgebraFactory {
    event Pool(address indexed token0, address indexed token1, address pool);

    function poolByPair(address tokenA, address tokenB) external view returns (address pool);
}
