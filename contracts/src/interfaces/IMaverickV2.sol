// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice A Maverick V2 pool as the Executor and lenses call it.
interface IMaverickV2Pool {
    struct SwapParams {
        /// Base units of the input, or of the output if `exactOutput` is true.
        uint256 amount;
        bool tokenAIn;
        bool exactOutput;
        /// The swap stops at this tick.
        int32 tickLimit;
    }

    /// @dev Without `data`, the pool must have received the input before. With `data`, it calls `maverickV2SwapCallback`.
    /// @return amountIn Base units of the input that the pool took.
    function swap(address recipient, SwapParams calldata params, bytes calldata data)
        external
        returns (uint256 amountIn, uint256 amountOut);
}

/// @notice State of a Maverick V2 pool.
interface IMaverickV2State {
    struct State {
        uint128 reserveA;
        uint128 reserveB;
        int64 lastTwaD8;
        int64 lastLogPriceD8;
        uint32 lastTimestamp;
        int32 activeTick;
        bool isLocked;
        uint32 binCounter;
        uint8 protocolFeeRatioD3;
    }

    function getState() external view returns (State memory);
}

/// @notice Factory of Maverick V2 pools.
interface IMaverickV2Factory {
    /// @param accessor The only account that may use the pool, or that sets its fees; zero if there is none.
    event PoolCreated(
        address poolAddress,
        uint8 protocolFeeRatio,
        uint256 feeAIn,
        uint256 feeBIn,
        uint256 tickSpacing,
        uint256 lookback,
        int32 activeTick,
        address tokenA,
        address tokenB,
        uint8 kinds,
        address accessor
    );

    /// @notice Pools of a pair without an accessor. `tokenA` is the lower address.
    function lookup(address tokenA, address tokenB, uint256 startIndex, uint256 endIndex)
        external
        view
        returns (address[] memory pools);

    /// @param accessor Zero for pools without an accessor.
    function poolByTokenCount(address tokenA, address tokenB, address accessor) external view returns (uint256);
}
