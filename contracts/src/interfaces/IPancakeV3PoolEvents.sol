// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Swap event of pancake-v3 and its forks. Their other events are those of IUniswapV3PoolEvents.
interface IPancakeV3PoolEvents {
    event Swap(
        address indexed sender,
        address indexed recipient,
        int256 amount0,
        int256 amount1,
        uint160 sqrtPriceX96,
        uint128 liquidity,
        int24 tick,
        uint128 protocolFeesToken0,
        uint128 protocolFeesToken1
    );
}
