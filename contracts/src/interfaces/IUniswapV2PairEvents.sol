// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Events of a uniswap-v2 style pair, of any fork, when its reserves change.
interface IUniswapV2PairEvents {
    event Sync(uint112 reserve0, uint112 reserve1);
}
