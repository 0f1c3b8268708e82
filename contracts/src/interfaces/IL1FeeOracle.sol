// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Answers of rollups of the OP Stack, and in its image Scroll, Morph and Metis, about the fee for publishing a
///   transaction on the chain below, in wei of the rollup's own native asset.
interface IL1FeeOracle {
    /// @param transaction The transaction's RLP: unsigned on the OP Stack, signed on Scroll and Morph.
    function getL1Fee(bytes calldata transaction) external view returns (uint256);

    /// @notice Charges of an OP Stack chain's operator beside gas and data; since the Isthmus upgrade.
    function getOperatorFee(uint256 gasUsed) external view returns (uint256);
}
