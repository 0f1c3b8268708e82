// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice The part of Arbitrum's virtual contract at 0xC8 this project asks. There is no code there: nodes answer for it.
interface IArbitrumNodeInterface {
    /// @return gasEstimateForL1 Gas to add to the gas limit for publishing the transaction on the chain below.
    /// @return baseFee Wei per gas of this chain.
    /// @return l1BaseFeeEstimate Wei per gas of the chain below, as this chain estimates it.
    function gasEstimateL1Component(address to, bool contractCreation, bytes calldata data)
        external
        payable
        returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate);
}
