// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Event of a swap of a pancake-v3 style pool; its other events are those of uniswap-v3.
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
