// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of Gyro and reCLAMM pools in addition to the state of all pools in the vault.
interface IBalancerV3RangePool {
    struct Gyro2ClpData {
        address[] tokens;
        uint256[] decimalScalingFactors;
        uint256 sqrtAlpha;
        uint256 sqrtBeta;
    }

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

    /// @dev Gyro's 2-CLP; the roots have 18 decimals.
    function getGyro2CLPPoolImmutableData() external view returns (Gyro2ClpData memory);
    /// @dev Gyro's E-CLP: alpha, beta, c, s, and lambda with 18 decimals; tau of alpha, tau of beta, u, v, w, z, and d² with 38.
    function getECLPParams() external view returns (int256[5] memory params, int256[9] memory derived);
    /// @dev reCLAMM.
    function getReClammPoolDynamicData() external view returns (ReclammData memory);
    function computeCurrentVirtualBalances() external view returns (uint256 virtualA, uint256 virtualB, bool changed);
}

/// @notice State of a hook that raises the fee of unbalanced pools.
interface IBalancerV3SurgeHook {
    event ThresholdSurgePercentageChanged(address indexed pool, uint256 newSurgeThresholdPercentage);
    event MaxSurgeFeePercentageChanged(address indexed pool, uint256 newMaxSurgeFeePercentage);
    event ImbalanceSlopeBelowPeakChanged(address indexed pool, uint128 newImbalanceSlopeBelowPeak);
    event ImbalanceSlopeAbovePeakChanged(address indexed pool, uint128 newImbalanceSlopeAbovePeak);

    function getSurgeThresholdPercentage(address pool) external view returns (uint256);
    function getMaxSurgeFeePercentage(address pool) external view returns (uint256);
    /// @dev Only the hook of E-CLPs has slopes; 18 decimals.
    function getImbalanceSlopes(address pool) external view returns (uint256 belowPeak, uint256 abovePeak);
}
