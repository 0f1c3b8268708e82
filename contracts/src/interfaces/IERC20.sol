// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice The part of ERC-20 this project calls. Return values are checked by hand, since many tokens return none.
interface IERC20 {
    function balanceOf(address account) external view returns (uint256);
    function allowance(address owner, address spender) external view returns (uint256);
    function approve(address spender, uint256 amount) external returns (bool);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}
