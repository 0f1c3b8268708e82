// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What the Executor calls of a kyber-classic pair: it measures what it was sent, and lets out what it is asked for.
interface IKyberClassicPair {
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata callbackData) external;

    /// @return reserve0 What the pair holds.
    /// @return reserve1 The same of the second token.
    /// @return vReserve0 What it is priced by: amplified.
    /// @return vReserve1 The same of the second token.
    /// @return feeInPrecision 18 decimals, of a swap in this block.
    function getTradeInfo()
        external
        view
        returns (uint112 reserve0, uint112 reserve1, uint112 vReserve0, uint112 vReserve1, uint256 feeInPrecision);
}

/// @notice What is asked of a factory of kyber-classic pairs, and what it tells.
interface IKyberClassicFactory {
    event PoolCreated(
        address indexed token0, address indexed token1, address pool, uint32 ampBps, uint256 totalPool
    );

    /// @return All pairs of two tokens, by amplification.
    function getPools(address tokenA, address tokenB) external view returns (address[] memory);
}

/// @notice What a kyber-classic pair says of its reserves.
interface IKyberClassicEvents {
    event Sync(uint256 vReserve0, uint256 vReserve1, uint256 reserve0, uint256 reserve1);
}
