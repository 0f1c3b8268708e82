// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of a Curve pool of coins that are not pegged to each other. Pools of different ages and numbers
/// of coins have some of these only.
interface ICurveCryptoPoolState {
    function balances(uint256 i) external view returns (uint256);
    /// @dev Factors that bring balances to 18 decimals: as many as there are coins.
    function precisions() external view returns (uint256[] memory);
    /// @dev For pools of two coins.
    function price_scale() external view returns (uint256);
    function price_scale(uint256 i) external view returns (uint256);
    /// @dev A × n^n × 10,000, now.
    function A() external view returns (uint256);
    function gamma() external view returns (uint256);
    function D() external view returns (uint256);
    function future_A_gamma_time() external view returns (uint256);
    function mid_fee() external view returns (uint256);
    function out_fee() external view returns (uint256);
    function fee_gamma() external view returns (uint256);
    function fee() external view returns (uint256);
    function virtual_price() external view returns (uint256);
    function xcp_profit() external view returns (uint256);
    function allowed_extra_profit() external view returns (uint256);
    function is_killed() external view returns (bool);
    /// @dev The share, where it is a contract of its own.
    function token() external view returns (address);
    /// @dev Supply of the share: the pool itself, or `token`.
    function totalSupply() external view returns (uint256);
    /// @dev The maths of the NG kind, where it is a contract of its own.
    function MATH() external view returns (address);
    function get_dy(uint256 i, uint256 j, uint256 amountIn) external view returns (uint256);
}
