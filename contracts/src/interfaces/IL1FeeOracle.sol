// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Answers of rollups of the OP Stack, and in its image Mantle, Scroll, Morph and Metis, about the fee for publishing
///   a transaction on the chain below, in wei of the rollup's own native asset; on Mantle in wei of ETH.
interface IL1FeeOracle {
    /// @param transaction The transaction's RLP: unsigned on the OP Stack and on Mantle, unsigned and of the type before
    ///   EIP-2718 on Metis, signed on Morph, signed and since the Galileo upgrade compressed on Scroll.
    function getL1Fee(bytes calldata transaction) external view returns (uint256);

    /// @notice Charges of the chain's operator beside gas and data: on the OP Stack since Isthmus, on Mantle since Arsia.
    function getOperatorFee(uint256 gasUsed) external view returns (uint256);

    /// @notice Mantle: wei of MNT for one wei of ETH.
    function tokenRatio() external view returns (uint256);

    /// @notice Mantle: true since the Arsia upgrade.
    function isArsia() external view returns (bool);

    /// @notice Scroll: true since the Galileo upgrade.
    function isGalileo() external view returns (bool);
}
