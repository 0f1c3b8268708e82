// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getter and event of a Solidly V3 pool that uniswap-v3 pools do not have; the others are the same.
interface ISolidlyV3Pool {
    /// @param feeOld Fee before, in ppm.
    /// @param feeNew Fee of later swaps, in ppm.
    event SetFee(uint24 feeOld, uint24 feeNew);

    function slot0() external view returns (uint160 sqrtPriceX96, int24 tick, uint24 fee, bool unlocked);
}
