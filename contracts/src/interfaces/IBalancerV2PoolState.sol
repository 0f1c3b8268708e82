// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What lenses read of a Balancer V2 pool; each kind has some of these.
interface IBalancerV2PoolState {
    function getSwapFeePercentage() external view returns (uint256);
    function getNormalizedWeights() external view returns (uint256[] memory);
    function getScalingFactors() external view returns (uint256[] memory);
    function getAmplificationParameter() external view returns (uint256 value, bool isUpdating, uint256 precision);
    function getBptIndex() external view returns (uint256);
    function getPausedState() external view returns (bool paused, uint256 windowEnd, uint256 bufferEnd);
    function version() external view returns (string memory);
}
