// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice ERC-20 getter of the total supply.
interface IERC20Supply {
    /// @return Base units.
    function totalSupply() external view returns (uint256);
}
