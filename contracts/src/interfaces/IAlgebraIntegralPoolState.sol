// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of an Algebra Integral pool, and the events that change its fee. Its other events are those of
///   IUniswapV3PoolEvents. Fees are in ppm of the input.
interface IAlgebraIntegralPoolState {
    event Fee(uint16 fee);
    /// @param newPluginConfig Bit 0: the pool calls the plugin before a swap. Bit 7: the plugin manages the fee.
    event PluginConfig(uint8 newPluginConfig);
    /// @notice Swap event of the builds of release 1.2 that have no event SwapFee. Other builds emit the event of
    ///   uniswap-v3.
    event Swap(
        address indexed sender,
        address indexed recipient,
        int256 amount0,
        int256 amount1,
        uint160 price,
        uint128 liquidity,
        int24 tick,
        uint24 overrideFee,
        uint24 pluginFee
    );
    /// @notice Burn event of the builds of release 1.2 that have no event BurnFee. Other builds emit the event of
    ///   uniswap-v3.
    event Burn(
        address indexed owner,
        int24 indexed bottomTick,
        int24 indexed topTick,
        uint128 liquidityAmount,
        uint256 amount0,
        uint256 amount1,
        uint24 pluginFee
    );

    /// @notice Returns the square root of the price of token0 in token1, times 2^96, the tick, and the fee of the last
    ///   swap.
    function globalState()
        external
        view
        returns (uint160 price, int24 tick, uint16 lastFee, uint8 pluginConfig, uint16 communityFee, bool unlocked);
    /// @notice Returns the fee of a swap now: the last fee, or the fee that the plugin sets. The first release lacks
    ///   this getter.
    function fee() external view returns (uint16 currentFee);
    function liquidity() external view returns (uint128);
    function tickSpacing() external view returns (int24);
    /// @notice Returns an initialized tick. The ticks are a linked list.
    /// @return liquidityTotal Liquidity of all positions with a bound at the tick.
    /// @return liquidityDelta Liquidity that the pool gains if the price rises across the tick.
    function ticks(int24 tick)
        external
        view
        returns (
            uint256 liquidityTotal,
            int128 liquidityDelta,
            int24 prevTick,
            int24 nextTick,
            uint256 outerFeeGrowth0Token,
            uint256 outerFeeGrowth1Token
        );
}
