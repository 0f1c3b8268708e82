// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getters whose existence and result lengths determine the version of an Algebra pool.
interface IAlgebraVersion {
    /// @dev Every version has it. Integral returns 6 words. Version 1 returns 7, or 8 if each direction has its own
    ///   fee. Version 2 returns 6 or 7.
    function globalState() external view;
    /// @dev Integral only.
    function plugin() external view returns (address);
    /// @dev Version 2 only, a version between 1 and Integral. Algebra never released it, but some DEXes deployed it.
    function tickSpacingLimitOrders() external view returns (int24);
    /// @dev Version 2 only.
    function communityFeeLastTimestamp() external view returns (uint32);
}
