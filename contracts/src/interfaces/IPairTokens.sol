// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice The two tokens of a pair, sorted by address.
interface IPairTokens {
    function token0() external view returns (address);
    function token1() external view returns (address);
}
