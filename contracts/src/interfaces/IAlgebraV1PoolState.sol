// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State that lenses read of an Algebra v1 pool; its other getters, and `swap`, are those of uniswap-v3.
interface IAlgebraV1PoolState {
    /// @dev From version 1.9 on, `fee` is that of the first token sold and another for the second stands behind it.
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
    function tickTable(int16 wordPosition) external view returns (uint256);
}
