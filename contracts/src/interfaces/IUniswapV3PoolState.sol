// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of a pool of Uniswap V3 and its forks. Forks return other fields of `slot0` and `ticks` after the
///   first two. Fees are in ppm.
interface IUniswapV3PoolState {
    function slot0() external view returns (uint160 sqrtPriceX96, int24 tick);
    function liquidity() external view returns (uint128);
    function fee() external view returns (uint24);
    /// @notice Returns the current fee of a ramses-cl pool, whose `fee` returns its initial fee.
    function currentFee() external view returns (uint24);
    function tickSpacing() external view returns (int24);
    /// @notice Returns a word of the tick bitmap. A bit is set if its tick is initialized.
    function tickBitmap(int16 word) external view returns (uint256);
    function ticks(int24 tick) external view returns (uint128 liquidityGross, int128 liquidityNet);
}
