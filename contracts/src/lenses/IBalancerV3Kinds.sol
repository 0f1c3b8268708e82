// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of Gyro and reCLAMM pools in addition to the state of all pools in the vault.
interface IBalancerV3RangePool {
    /// @dev Immutable data of a 2-CLP.
    struct Gyro2ClpData {
        address[] tokens;
        uint256[] decimalScalingFactors;
        uint256 sqrtAlpha;
        uint256 sqrtBeta;
    }

    /// @dev Current data of a reCLAMM. Balances, rates, and ratios have 18 decimals. Times are Unix times in seconds.
    struct ReclammData {
        uint256[] balancesLiveScaled18;
        uint256[] tokenRates;
        uint256 staticSwapFeePercentage;
        uint256 totalSupply;
        uint256 lastTimestamp;
        uint256[] lastVirtualBalances;
        uint256 dailyPriceShiftExponent;
        uint256 dailyPriceShiftBase;
        uint256 centerednessMargin;
        uint256 currentPriceRatio;
        uint256 currentFourthRootPriceRatio;
        uint256 startFourthRootPriceRatio;
        uint256 endFourthRootPriceRatio;
        uint32 priceRatioUpdateStartTime;
        uint32 priceRatioUpdateEndTime;
        bool isPoolInitialized;
        bool isPoolPaused;
        bool isPoolInRecoveryMode;
    }

    /// @notice Returns the data of a Gyro 2-CLP. The roots have 18 decimals.
    function getGyro2CLPPoolImmutableData() external view returns (Gyro2ClpData memory);
    /// @notice Returns the parameters of a Gyro E-CLP: alpha, beta, c, s, and lambda with 18 decimals; tau of alpha,
    ///   tau of beta, u, v, w, z, and d² with 38.
    function getECLPParams() external view returns (int256[5] memory params, int256[9] memory derived);
    /// @notice Returns the data of a reCLAMM.
    function getReClammPoolDynamicData() external view returns (ReclammData memory);
    /// @notice Returns the virtual balances at the current time. `changed` is true if they differ from the stored ones.
    function computeCurrentVirtualBalances() external view returns (uint256 virtualA, uint256 virtualB, bool changed);
}

/// @notice State of a hook that raises the fee of unbalanced pools.
interface IBalancerV3SurgeHook {
    /// @notice Emitted when a threshold of the imbalance changes. Percentages have 18 decimals.
    event ThresholdSurgePercentageChanged(address indexed pool, uint256 newSurgeThresholdPercentage);
    /// @notice Emitted when the maximum fee changes.
    event MaxSurgeFeePercentageChanged(address indexed pool, uint256 newMaxSurgeFeePercentage);
    /// @notice Emitted when the slope below the peak changes.
    event ImbalanceSlopeBelowPeakChanged(address indexed pool, uint128 newImbalanceSlopeBelowPeak);
    /// @notice Emitted when the slope above the peak changes.
    event ImbalanceSlopeAbovePeakChanged(address indexed pool, uint128 newImbalanceSlopeAbovePeak);

    /// @notice Returns the imbalance above which the fee rises, 18 decimals.
    function getSurgeThresholdPercentage(address pool) external view returns (uint256);
    /// @notice Returns the fee at the maximum imbalance, 18 decimals.
    function getMaxSurgeFeePercentage(address pool) external view returns (uint256);
    /// @notice Returns the slopes of the imbalance, 18 decimals. Only the hook of E-CLPs has them.
    function getImbalanceSlopes(address pool) external view returns (uint256 belowPeak, uint256 abovePeak);
}
