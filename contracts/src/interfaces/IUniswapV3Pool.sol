// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Calls of the Executor to a uniswap-v3 style pool, of any fork.
interface IUniswapV3Pool {
    function swap(address recipient, bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1);
}
