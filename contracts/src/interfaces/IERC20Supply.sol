// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice The part of ERC-20 that tells how much there is.
interface IERC20Supply {
    function totalSupply() external view returns (uint256);
}
