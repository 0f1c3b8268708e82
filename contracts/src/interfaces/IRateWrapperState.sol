// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of a wrapper of a rebasing token. wstETH and weETH have different names for the same getters.
interface IRateWrapperState {
    function totalSupply() external view returns (uint256);
    /// @notice Returns the rebasing token of wstETH.
    function stETH() external view returns (address);
    /// @notice Returns the rebasing token of weETH.
    function eETH() external view returns (address);
    /// @notice Converts rebasing tokens to wrapper shares, in base units, rounded down.
    function getWstETHByStETH(uint256 amount) external view returns (uint256);
    function getWeETHByeETH(uint256 amount) external view returns (uint256);
    /// @notice Converts wrapper shares to rebasing tokens, in base units, rounded down.
    function getStETHByWstETH(uint256 shares) external view returns (uint256);
    function getEETHByWeETH(uint256 shares) external view returns (uint256);
}

/// @notice State of a rebasing token. Its balances are shares of a pooled amount.
interface IRebasingTokenState {
    /// @notice Returns the pooled amount in base units.
    function totalSupply() external view returns (uint256);
    /// @notice Returns the number of shares of stETH.
    function getTotalShares() external view returns (uint256);
    /// @notice Returns the number of shares of eETH.
    function totalShares() external view returns (uint256);
    /// @notice Returns the ether of external stakes, which do not count for the rate. stETH has them since version 3.
    function getExternalEther() external view returns (uint256);
    /// @notice Returns the shares of external stakes, which do not count for the rate. stETH has them since version 3.
    function getExternalShares() external view returns (uint256);
}
