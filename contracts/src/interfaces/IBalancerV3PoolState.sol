// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getters of a weighted or stable balancer-v3 pool, and its quote. Weights have 18 decimals.
interface IBalancerV3PoolState {
    /// @dev Arguments of a swap. Amounts and balances have 18 decimals and include the rates of the tokens.
    struct PoolSwapParams {
        /// @dev 0 for an exact input, 1 for an exact output.
        uint8 kind;
        uint256 amountGivenScaled18;
        uint256[] balancesScaled18;
        uint256 indexIn;
        uint256 indexOut;
        address router;
        bytes userData;
    }

    function getNormalizedWeights() external view returns (uint256[] memory);
    /// @return value The amplification, times `precision`.
    /// @return isUpdating True while the amplification changes with time.
    function getAmplificationParameter() external view returns (uint256 value, bool isUpdating, uint256 precision);
    /// @notice Computes the output of an exact input, or the input of an exact output, without the swap fee.
    function onSwap(PoolSwapParams calldata params) external view returns (uint256 amountCalculatedScaled18);
}
