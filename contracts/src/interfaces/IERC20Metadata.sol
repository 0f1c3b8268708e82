// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getters of the ERC-20 metadata extension that lenses read.
interface IERC20Metadata {
    function decimals() external view returns (uint8);
    function symbol() external view returns (string memory);
}
