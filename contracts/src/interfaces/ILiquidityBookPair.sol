// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What the Executor calls of a Liquidity Book pair, of any version: it measures what it was sent.
interface ILiquidityBookPair {
    /// @param swapForY True when token X was sent.
    function swap(bool swapForY, address to) external;
}
