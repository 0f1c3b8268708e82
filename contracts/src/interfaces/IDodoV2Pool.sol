// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What the Executor calls of a DODO v2 pool (DVM, DSP, DPP): it measures what it was sent.
interface IDodoV2Pool {
    function sellBase(address to) external returns (uint256 received);
    function sellQuote(address to) external returns (uint256 received);
}
