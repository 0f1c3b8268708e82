// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Function of a kyber-elastic pool that the Executor calls. The pool asks for its payment by
///   swapCallback(int256 deltaQty0, int256 deltaQty1, bytes).
interface IKyberElasticPool {
    /// @param swapQty An exact input if positive, an exact output if negative.
    /// @param isToken0 True if `swapQty` counts the first token.
    /// @return deltaQty0 Base units of the first token that the pool took; negative if it paid them.
    function swap(address recipient, int256 swapQty, bool isToken0, uint160 limitSqrtP, bytes calldata data)
        external
        returns (int256 deltaQty0, int256 deltaQty1);
}

/// @notice Getters of a factory of kyber-elastic pools. Fees are parts of 100,000.
interface IKyberElasticFactory {
    event PoolCreated(
        address indexed token0, address indexed token1, uint24 indexed swapFeeUnits, int24 tickDistance, address pool
    );

    function feeAmountTickDistance(uint24 swapFeeUnits) external view returns (int24 tickDistance);
    function getPool(address tokenA, address tokenB, uint24 swapFeeUnits) external view returns (address pool);
}

/// @notice Getters of a kyber-elastic pool, and the events that change their results.
interface IKyberElasticState {
    event Initialize(uint160 sqrtP, int24 tick);
    event Swap(
        address indexed sender,
        address indexed recipient,
        int256 deltaQty0,
        int256 deltaQty1,
        uint160 sqrtP,
        uint128 liquidity,
        int24 currentTick
    );
    event Mint(
        address sender,
        address indexed owner,
        int24 indexed tickLower,
        int24 indexed tickUpper,
        uint128 qty,
        uint256 qty0,
        uint256 qty1
    );
    event Burn(
        address indexed owner,
        int24 indexed tickLower,
        int24 indexed tickUpper,
        uint128 qty,
        uint256 qty0,
        uint256 qty1
    );
    event BurnRTokens(address indexed owner, uint256 qty, uint256 qty0, uint256 qty1);

    /// @notice Returns the square root of the price of token0 in token1, times 2^96, the tick, and the nearest
    ///   initialized tick at or below it.
    function getPoolState()
        external
        view
        returns (uint160 sqrtP, int24 currentTick, int24 nearestCurrentTick, bool locked);
    /// @return baseL Liquidity of the positions in range.
    /// @return reinvestL Liquidity from fees, which covers all prices.
    function getLiquidityState() external view returns (uint128 baseL, uint128 reinvestL, uint128 reinvestLLast);
    /// @return Parts per 100,000.
    function swapFeeUnits() external view returns (uint24);
    function tickDistance() external view returns (int24);
    function ticks(int24 tick)
        external
        view
        returns (
            uint128 liquidityGross,
            int128 liquidityNet,
            uint256 feeGrowthOutside,
            uint128 secondsPerLiquidityOutside
        );
    /// @notice Returns the neighbors of an initialized tick in the linked list of initialized ticks.
    function initializedTicks(int24 tick) external view returns (int24 previous, int24 next);
}
