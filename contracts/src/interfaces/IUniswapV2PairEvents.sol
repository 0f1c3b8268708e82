// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Event of a pair of Uniswap V2 and its forks when its reserves change.
interface IUniswapV2PairEvents {
    event Sync(uint112 reserve0, uint112 reserve1);
}
