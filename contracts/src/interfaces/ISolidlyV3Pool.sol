// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getter and event of a Solidly V3 pool that differ from those of uniswap-v3.
interface ISolidlyV3Pool {
    /// @param feeOld Fee before, in ppm.
    /// @param feeNew Fee of later swaps, in ppm.
    event SetFee(uint24 feeOld, uint24 feeNew);

    /// @notice Returns the square root of the price of token0 in token1, times 2^96, the tick, and the fee in ppm.
    function slot0() external view returns (uint160 sqrtPriceX96, int24 tick, uint24 fee, bool unlocked);
}
