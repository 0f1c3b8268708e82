// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of a Curve pool of coins that are not pegged to each other. Which getters a pool has depends on its
///   release and on its number of coins. Fees have 10 decimals.
interface ICurveCryptoPoolState {
    /// @notice Returns the pool's balance of a coin in base units.
    function balances(uint256 i) external view returns (uint256);
    /// @notice Returns for each coin the factor that scales its balance to 18 decimals.
    /// @dev The result is a static array with one word per coin. Its length thus depends on the pool, so callers decode
    ///   it themselves.
    function precisions() external view returns (uint256[] memory);
    /// @notice Returns the pool's internal price of coin 1 in coin 0, 18 decimals. Only pools of two coins have it.
    function price_scale() external view returns (uint256);
    /// @notice Returns the pool's internal price of coin `i` + 1 in coin 0, 18 decimals.
    function price_scale(uint256 i) external view returns (uint256);
    /// @notice Returns A × n^n × 10,000 at the current time.
    function A() external view returns (uint256);
    function gamma() external view returns (uint256);
    /// @notice Returns the invariant.
    function D() external view returns (uint256);
    /// @notice Returns the Unix time in seconds at which a ramp of A and gamma ends.
    function future_A_gamma_time() external view returns (uint256);
    function mid_fee() external view returns (uint256);
    function out_fee() external view returns (uint256);
    function fee_gamma() external view returns (uint256);
    function fee() external view returns (uint256);
    function virtual_price() external view returns (uint256);
    function xcp_profit() external view returns (uint256);
    function allowed_extra_profit() external view returns (uint256);
    function is_killed() external view returns (bool);
    /// @notice Returns the pool's share token. A pool that is its own share token lacks this getter.
    function token() external view returns (address);
    /// @notice Returns the supply of the share token, which is the pool itself or `token`.
    function totalSupply() external view returns (uint256);
    /// @notice Returns the math contract. Only NG pools have it.
    function MATH() external view returns (address);
    /// @notice Quotes the output of `amountIn` of coin `i` in base units of coin `j`.
    function get_dy(uint256 i, uint256 j, uint256 amountIn) external view returns (uint256);
}
