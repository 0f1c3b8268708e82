// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Calls of this project to factories with stable and volatile pairs, of any fork.
interface ISolidlyFactory {
    event PairCreated(address indexed token0, address indexed token1, bool stable, address pair, uint256 count);

    /// @dev solidly and its forks.
    function getPair(address tokenA, address tokenB, bool stable) external view returns (address pair);
}
