// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Fee oracle of OP Stack rollups, and of Mantle, Scroll, Morph, and Metis. Returns the fee for publishing a
///   transaction on the parent chain, in wei of the rollup's native token. On Mantle, the unit is wei of ETH.
interface IL1FeeOracle {
    /// @param transaction The serialized transaction. OP Stack and Mantle: unsigned. Metis: unsigned, as a legacy
    ///   transaction (before EIP-2718). Morph: signed. Scroll: signed, and compressed since the Galileo upgrade.
    function getL1Fee(bytes calldata transaction) external view returns (uint256);

    /// @notice Returns the operator fee, which is due in addition to the fees for gas and data. The OP Stack has it
    ///   since the Isthmus upgrade, and Mantle since the Arsia upgrade.
    function getOperatorFee(uint256 gasUsed) external view returns (uint256);

    /// @notice Mantle: returns the wei of MNT for one wei of ETH.
    function tokenRatio() external view returns (uint256);

    /// @notice Mantle: returns true since the Arsia upgrade.
    function isArsia() external view returns (bool);

    /// @notice Scroll: returns true since the Galileo upgrade.
    function isGalileo() external view returns (bool);
}
