// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State that is read of a weighted or stable pool of balancer-v3.
interface IBalancerV3PoolState {
    struct PoolSwapParams {
        uint8 kind;
        uint256 amountGivenScaled18;
        uint256[] balancesScaled18;
        uint256 indexIn;
        uint256 indexOut;
        address router;
        bytes userData;
    }

    function getNormalizedWeights() external view returns (uint256[] memory);
    function getAmplificationParameter() external view returns (uint256 value, bool isUpdating, uint256 precision);
    function onSwap(PoolSwapParams calldata params) external view returns (uint256 amountCalculatedScaled18);
}
