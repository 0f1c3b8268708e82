// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What the Executor calls of Ambient's dex, one contract for all pools. What it answers is not needed: flows of both tokens.
interface IAmbientDex {
    /// @param callpath 1 for a swap.
    /// @param cmd Of a swap: base, quote, poolIdx, isBuy, inBaseQty, qty, tip, limitPrice, minOut, reserveFlags.
    function userCmd(uint16 callpath, bytes calldata cmd) external payable;
}

/// @notice What is read of it.
interface IAmbientState {
    function readSlot(uint256 slot) external view returns (uint256);
}
