// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getters by which versions of Algebra's pools are told apart, beside the length of `globalState`.
interface IAlgebraVersion {
    /// @dev Every version; Integral answers 6 words, version 1 answers 7, or 8 where each direction has a fee.
    function globalState() external view;
    /// @dev Integral.
    function plugin() external view returns (address);
    /// @dev Between the two: version 2, which was never released as such but deployed by some. It answers 6 or 7 words.
    function tickSpacingLimitOrders() external view returns (int24);
    function communityFeeLastTimestamp() external view returns (uint32);
}
