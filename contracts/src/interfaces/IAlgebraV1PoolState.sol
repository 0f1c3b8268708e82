// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of an Algebra v1 pool that lenses read. Its other getters and `swap` are those of uniswap-v3.
interface IAlgebraV1PoolState {
    /// @notice Returns the square root of the price of token0 in token1, times 2^96, the tick, and the fee in ppm of
    ///   the input.
    /// @dev Pools since version 1.9 return 8 words: the fee of swaps that sell token0, then the fee of swaps that sell
    ///   token1.
    function globalState()
        external
        view
        returns (
            uint160 price,
            int24 tick,
            uint16 fee,
            uint16 timepointIndex,
            uint8 communityFeeToken0,
            uint8 communityFeeToken1,
            bool unlocked
        );
    /// @notice Returns a word of the tick bitmap. A bit is set if its tick is initialized.
    function tickTable(int16 wordPosition) external view returns (uint256);
}
