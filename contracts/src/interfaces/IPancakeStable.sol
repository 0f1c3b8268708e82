// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getters of a factory of PancakeSwap's stable pools, and what it tells.
interface IPancakeStableFactory {
    /// @param tokenC Zero where the pool has two coins.
    event NewStableSwapPair(address indexed swapContract, address tokenA, address tokenB, address tokenC, address lp);

    /// @dev The first word of what both answer is the pool; zero where there is none.
    function getPairInfo(address tokenA, address tokenB) external view returns (address pool);
    function getThreePoolPairInfo(address tokenA, address tokenB) external view returns (address pool);
}

/// @notice State that is read of such a pool beside what it shares with the oldest pools of Curve.
interface IPancakeStableState {
    /// @dev Moves with the time while it ramps.
    function A() external view returns (uint256);
    function is_killed() external view returns (bool);
}
