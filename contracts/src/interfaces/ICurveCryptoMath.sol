// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Math contract of Curve's NG crypto pools (pools of coins that are not pegged to each other).
interface ICurveCryptoMath {
    function version() external view returns (string memory);
    /// @notice Solves the invariant of a pool of two coins for one balance.
    /// @param xp Balances of all coins at 18 decimals and in units of coin 0. Ignores the balance of coin `i`.
    /// @return The balance of coin `i` in the same unit, and an internal value of the math contract.
    function get_y(uint256 a, uint256 gamma, uint256[2] memory xp, uint256 invariant, uint256 i)
        external
        view
        returns (uint256[2] memory);
    /// @notice Solves the invariant of a pool of three coins for one balance.
    function get_y(uint256 a, uint256 gamma, uint256[3] memory xp, uint256 invariant, uint256 i)
        external
        view
        returns (uint256[2] memory);
}
