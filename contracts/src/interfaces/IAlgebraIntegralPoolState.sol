// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of an Algebra Integral pool, and what it says of its fee; its other events are those of
/// uniswap-v3.
interface IAlgebraIntegralPoolState {
    event Fee(uint16 fee);
    event PluginConfig(uint8 newPluginConfig);
    /// @dev Builds of 1.2 before SwapFee and BurnFee tell of the fees here; all others as uniswap-v3 does.
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
    event Burn(
        address indexed owner,
        int24 indexed bottomTick,
        int24 indexed topTick,
        uint128 liquidityAmount,
        uint256 amount0,
        uint256 amount1,
        uint24 pluginFee
    );

    function globalState()
        external
        view
        returns (uint160 price, int24 tick, uint16 lastFee, uint8 pluginConfig, uint16 communityFee, bool unlocked);
    /// @dev Fee that a swap would pay now: the last fee, or what the plugin says.
    function fee() external view returns (uint16 currentFee);
    function liquidity() external view returns (uint128);
    function tickSpacing() external view returns (int24);
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
