// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Swap function of a pool of Uniswap V3 and its forks. The Executor and some lenses call it.
interface IUniswapV3Pool {
    /// @param amountSpecified An exact input if positive, an exact output if negative, in base units.
    /// @return amount0 Base units of token0 that the pool received; negative if it paid them.
    /// @return amount1 Base units of token1 that the pool received; negative if it paid them.
    function swap(address recipient, bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1);
}
