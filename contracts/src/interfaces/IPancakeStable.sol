// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getters and event of a factory of PancakeSwap's stable pools.
interface IPancakeStableFactory {
    /// @notice Emitted when a pool is created.
    /// @param tokenC Zero if the pool has two coins.
    event NewStableSwapPair(address indexed swapContract, address tokenA, address tokenB, address tokenC, address lp);

    /// @return pool Pool of two coins; zero if there is none.
    /// @dev Returns further words, which this interface omits.
    function getPairInfo(address tokenA, address tokenB) external view returns (address pool);
    /// @return pool Pool of three coins that include both tokens; zero if there is none.
    function getThreePoolPairInfo(address tokenA, address tokenB) external view returns (address pool);
}

/// @notice Getters of a stable pool that CurveLens does not read, or that change without a log.
interface IPancakeStableState {
    /// @notice Returns the amplification, which changes with time during a ramp.
    function A() external view returns (uint256);
    /// @notice Returns true if the pool allows only withdrawals.
    function is_killed() external view returns (bool);
}
