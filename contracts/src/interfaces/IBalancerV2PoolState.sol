// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Answers of a factory of Balancer V2 pools about one.
interface IBalancerV2Factory {
    function isPoolFromFactory(address pool) external view returns (bool);
}

/// @notice Rate provider of a token of a Balancer V2 pool.
interface IBalancerV2RateProvider {
    function getRate() external view returns (uint256);
}

/// @notice State that lenses read of a Balancer V2 pool; each kind has some of these.
interface IBalancerV2PoolState {
    function getSwapFeePercentage() external view returns (uint256);
    function getNormalizedWeights() external view returns (uint256[] memory);
    function getScalingFactors() external view returns (uint256[] memory);
    function getAmplificationParameter() external view returns (uint256 value, bool isUpdating, uint256 precision);
    function getBptIndex() external view returns (uint256);
    function getPausedState() external view returns (bool paused, uint256 windowEnd, uint256 bufferEnd);
    /// @dev Who may set the fee; zero for nobody, 0xba1b…ba1b for Balancer's own governance.
    function getOwner() external view returns (address);
    function getRateProviders() external view returns (address[] memory);
    /// @dev Getter of pools with composable shares; those before them leave out `oldRate`.
    function getTokenRateCache(address token)
        external
        view
        returns (uint256 rate, uint256 oldRate, uint256 duration, uint256 expires);
    /// @dev Getter of the first stable pools with rates.
    function getPriceRateCache(address token) external view returns (uint256 rate, uint256 duration, uint256 expires);
    /// @dev Getter of pools whose owner moves the weights, and can suspend swaps.
    function getSwapEnabled() external view returns (bool);
    function version() external view returns (string memory);
}
