// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of a Curve pool with the StableSwap invariant that lenses read. Each release of Curve has only some of
///   these getters. Fees have 10 decimals.
interface ICurvePoolState {
    function coins(uint256 i) external view returns (address);
    function balances(uint256 i) external view returns (uint256);
    /// @notice Returns A × n^(n−1).
    function A() external view returns (uint256);
    /// @notice Returns A × n^(n−1) × 100. Only pools that store this value have the getter.
    function A_precise() external view returns (uint256);
    /// @notice Returns the Unix time in seconds at which a ramp of A ends. It is past or zero while A is constant.
    function future_A_time() external view returns (uint256);
    function fee() external view returns (uint256);
    /// @notice Returns the part of the fee that leaves the pool.
    function admin_fee() external view returns (uint256);
    /// @notice Returns the factor of the fee if one balance approaches zero, 10 decimals.
    function offpeg_fee_multiplier() external view returns (uint256);
    /// @notice Returns for each coin the factor that scales its balance to the common unit, 18 decimals.
    function stored_rates() external view returns (uint256[] memory);
    /// @notice Quotes the output of `amountIn` of coin `i` in base units of coin `j`.
    function get_dy(int128 i, int128 j, uint256 amountIn) external view returns (uint256);
}
