// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Function of a factory of Balancer V2 pools.
interface IBalancerV2Factory {
    /// @notice Returns true if the factory created the pool.
    function isPoolFromFactory(address pool) external view returns (bool);
}

/// @notice Rate provider of a token of a Balancer V2 pool.
interface IBalancerV2RateProvider {
    /// @return Value of a token in units of the pool's common base, 18 decimals.
    function getRate() external view returns (uint256);
}

/// @notice State of a Balancer V2 pool that lenses read. Each kind of pool has only some of these getters. Fees,
///   weights, and rates have 18 decimals.
interface IBalancerV2PoolState {
    function getSwapFeePercentage() external view returns (uint256);
    function getNormalizedWeights() external view returns (uint256[] memory);
    /// @notice Returns for each token the factor that scales its balance to 18 decimals. The factor includes the
    ///   token's rate.
    function getScalingFactors() external view returns (uint256[] memory);
    /// @return value The amplification of a stable pool, times `precision`.
    /// @return isUpdating True while the amplification changes with time.
    function getAmplificationParameter() external view returns (uint256 value, bool isUpdating, uint256 precision);
    /// @notice Returns the index of the pool's own share among its tokens.
    function getBptIndex() external view returns (uint256);
    function getPausedState() external view returns (bool paused, uint256 windowEnd, uint256 bufferEnd);
    /// @notice Returns the account that may set the fee: zero for no account, 0xba1b…ba1b for Balancer's governance.
    function getOwner() external view returns (address);
    /// @notice Returns the rate provider of each token; zero if the token has none.
    function getRateProviders() external view returns (address[] memory);
    /// @notice Returns the cached rate of a token, and its expiry as a Unix time in seconds.
    /// @dev Composable pools have this getter. Older pools do not return `oldRate`.
    function getTokenRateCache(address token)
        external
        view
        returns (uint256 rate, uint256 oldRate, uint256 duration, uint256 expires);
    /// @dev Getter with the same purpose of the first stable pools with rates.
    function getPriceRateCache(address token) external view returns (uint256 rate, uint256 duration, uint256 expires);
    /// @notice Returns false while the owner has suspended swaps.
    /// @dev Only pools whose owner can change the weights have this getter.
    function getSwapEnabled() external view returns (bool);
    function version() external view returns (string memory);
}
