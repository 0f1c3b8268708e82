// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getter and event of factories of stable and volatile pairs: Solidly and its forks.
interface ISolidlyFactory {
    event PairCreated(address indexed token0, address indexed token1, bool stable, address pair, uint256 count);

    /// @return pair Zero if there is no pair.
    function getPair(address tokenA, address tokenB, bool stable) external view returns (address pair);
}
