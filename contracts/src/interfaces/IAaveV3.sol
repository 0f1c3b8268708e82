// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What the Executor calls of a market of Aave's third version.
interface IAaveV3Pool {
    /// @notice Takes the asset by allowance, and credits its aToken.
    function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode) external;
    /// @notice Burns the caller's aTokens.
    /// @return withdrawn Units of the asset that `to` was paid.
    function withdraw(address asset, uint256 amount, address to) external returns (uint256 withdrawn);
}

/// @notice What is read of a market.
interface IAaveV3State {
    /// @dev As all releases answer. Indices and rates have 27 decimals.
    struct ReserveData {
        uint256 configuration;
        uint128 liquidityIndex;
        uint128 currentLiquidityRate;
        uint128 variableBorrowIndex;
        uint128 currentVariableBorrowRate;
        uint128 currentStableBorrowRate;
        uint40 lastUpdateTimestamp;
        uint16 id;
        address aTokenAddress;
        address stableDebtTokenAddress;
        address variableDebtTokenAddress;
        address interestRateStrategyAddress;
        uint128 accruedToTreasury;
        uint128 unbacked;
        uint128 isolationModeTotalDebt;
    }

    /// @return reserve Zeros for an asset that the market does not have.
    function getReserveData(address asset) external view returns (ReserveData memory reserve);
    /// @return Units of the asset that one unit of scaled balance stands for at the block's time, 27 decimals.
    function getReserveNormalizedIncome(address asset) external view returns (uint256);
    /// @return The same of scaled debt.
    function getReserveNormalizedVariableDebt(address asset) external view returns (uint256);
    /// @dev From release 3.1 on.
    /// @return Units of the asset that the market counts as its own.
    function getVirtualUnderlyingBalance(address asset) external view returns (uint128);
    /// @return Number of the implementation, which rises with releases; forks count in their own ways.
    function POOL_REVISION() external view returns (uint256);
}

/// @notice What is read of the tokens of a market: aTokens, and those of debt.
interface IAaveV3Token {
    function totalSupply() external view returns (uint256);
    function scaledTotalSupply() external view returns (uint256);
    /// @dev Of stable debt, which later releases have no more.
    function getSupplyData()
        external
        view
        returns (uint256 principal, uint256 total, uint256 averageRate, uint40 lastUpdate);
}
