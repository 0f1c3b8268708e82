// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Function of Arbitrum's virtual contract at 0xC8. The address has no code: nodes compute the result.
interface IArbitrumNodeInterface {
    /// @notice Estimates the cost of publishing a transaction on the parent chain.
    /// @return gasEstimateForL1 Gas of this chain to add to the gas limit for that cost.
    /// @return baseFee Wei per gas of this chain.
    /// @return l1BaseFeeEstimate Estimate of the parent chain's base fee, in wei per gas.
    function gasEstimateL1Component(address to, bool contractCreation, bytes calldata data)
        external
        payable
        returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate);
}
