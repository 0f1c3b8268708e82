// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of a wrapper of a rebasing token: wstETH and weETH call the same things by names of their own.
interface IRateWrapperState {
    function totalSupply() external view returns (uint256);
    function stETH() external view returns (address);
    function eETH() external view returns (address);
    function getWstETHByStETH(uint256 amount) external view returns (uint256);
    function getWeETHByeETH(uint256 amount) external view returns (uint256);
    function getStETHByWstETH(uint256 shares) external view returns (uint256);
    function getEETHByWeETH(uint256 shares) external view returns (uint256);
}

/// @notice State that is read of a token whose balances are shares of a pooled amount.
interface IRebasingTokenState {
    /// @dev The pooled amount.
    function totalSupply() external view returns (uint256);
    /// @dev stETH's name for it, and that of eETH.
    function getTotalShares() external view returns (uint256);
    function totalShares() external view returns (uint256);
    /// @dev Stakes of others, left out of the rate; of stETH since its third version.
    function getExternalEther() external view returns (uint256);
    function getExternalShares() external view returns (uint256);
}
