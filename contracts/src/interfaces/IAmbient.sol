// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Ambient's dex as the Executor calls it, one contract for all pools. Its answer is not needed: flows of both tokens.
interface IAmbientDex {
    /// @param callpath 1 for a swap.
    /// @param cmd Words of a swap: base, quote, poolIdx, isBuy, inBaseQty, qty, tip, limitPrice, minOut, reserveFlags.
    function userCmd(uint16 callpath, bytes calldata cmd) external payable;
}

/// @notice Its storage, as lenses read it.
interface IAmbientState {
    function readSlot(uint256 slot) external view returns (uint256);
}
