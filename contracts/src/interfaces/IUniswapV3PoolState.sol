// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of a pool with a tick bitmap. Forks append fields to `slot0` and `ticks`: the first two words
/// are the same in all of them.
interface IUniswapV3PoolState {
    function slot0() external view returns (uint160 sqrtPriceX96, int24 tick);
    function liquidity() external view returns (uint128);
    function fee() external view returns (uint24);
    /// @dev Fee of ramses-cl, where `fee` is what the pool began with.
    function currentFee() external view returns (uint24);
    function tickSpacing() external view returns (int24);
    function tickBitmap(int16 word) external view returns (uint256);
    function ticks(int24 tick) external view returns (uint128 liquidityGross, int128 liquidityNet);
}
