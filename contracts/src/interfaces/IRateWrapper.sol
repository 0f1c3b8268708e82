// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice A wrapper of a rebasing token, as wstETH is of stETH: it pays its caller.
interface IRateWrapper {
    function wrap(uint256 amount) external;
    function unwrap(uint256 amount) external;
}
