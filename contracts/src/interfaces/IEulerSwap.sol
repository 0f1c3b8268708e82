// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice A pool of EulerSwap's second version as the Executor calls it: it deposits whatever lies there, and is told what to pay.
interface IEulerSwapPool {
    /// @return Output of an exact input, or input of an exact output.
    function computeQuote(address tokenIn, address tokenOut, uint256 amount, bool exactIn)
        external
        view
        returns (uint256);
    /// @dev No callback where `data` is empty.
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

/// @notice Such a pool as lenses read it.
interface IEulerSwapState {
    struct StaticParams {
        address supplyVault0;
        address supplyVault1;
        address borrowVault0;
        address borrowVault1;
        address eulerAccount;
        address feeRecipient;
    }

    /// @dev Prices, concentrations and fees of 1e18.
    struct DynamicParams {
        uint112 equilibriumReserve0;
        uint112 equilibriumReserve1;
        uint112 minReserve0;
        uint112 minReserve1;
        uint80 priceX;
        uint80 priceY;
        uint64 concentrationX;
        uint64 concentrationY;
        uint64 fee0;
        uint64 fee1;
        /// Zero for none.
        uint40 expiration;
        /// 1 before swaps, 2 for the fee, 4 after swaps.
        uint8 swapHookedOperations;
        address swapHook;
    }

    function getStaticParams() external view returns (StaticParams memory);
    function getDynamicParams() external view returns (DynamicParams memory);
    /// @param status 1 while swaps are possible.
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 status);
    /// @return False where the pool may not act for its account.
    function isInstalled() external view returns (bool);
    /// @param outLimit One less than the most it quotes.
    function getLimits(address tokenIn, address tokenOut) external view returns (uint256 inLimit, uint256 outLimit);
}

/// @notice The register of pools whose makers posted a bond.
interface IEulerSwapRegistry {
    event PoolRegistered(
        address indexed asset0,
        address indexed asset1,
        address indexed eulerAccount,
        address pool,
        IEulerSwapState.StaticParams sParams,
        uint256 validityBond
    );

    /// @param asset0 The lower of the two.
    function poolsByPairLength(address asset0, address asset1) external view returns (uint256);
    function poolsByPairSlice(address asset0, address asset1, uint256 start, uint256 end)
        external
        view
        returns (address[] memory);
}
