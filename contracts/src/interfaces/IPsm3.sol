// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Spark's PSM3, as the Executor calls it and lenses read it. It trades USDC, USDS, and sUSDS without a fee.
interface IPsm3 {
    event Swap(
        address indexed assetIn,
        address indexed assetOut,
        address sender,
        address indexed receiver,
        uint256 amountIn,
        uint256 amountOut,
        uint256 referralCode
    );
    event Deposit(
        address indexed asset,
        address indexed user,
        address indexed receiver,
        uint256 assetsDeposited,
        uint256 sharesMinted
    );
    event Withdraw(
        address indexed asset,
        address indexed user,
        address indexed receiver,
        uint256 assetsWithdrawn,
        uint256 sharesBurned
    );

    function swapExactIn(
        address assetIn,
        address assetOut,
        uint256 amountIn,
        uint256 minAmountOut,
        address receiver,
        uint256 referralCode
    ) external returns (uint256 amountOut);

    function usdc() external view returns (address);
    function usds() external view returns (address);
    function susds() external view returns (address);
    function rateProvider() external view returns (address);
    /// @return Holder of the USDC.
    function pocket() external view returns (address);
}

/// @notice Value of sUSDS.
interface IPsm3RateProvider {
    /// @return USDS per sUSDS, in 1e27; grows with time.
    function getConversionRate() external view returns (uint256);
}
