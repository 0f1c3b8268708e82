// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Calls of Ekubo's core beside its swap, whose selector is all zeros, and what the core tells of pools.
/// @dev The arguments stand behind the selectors without any ABI. A swap logs without topics: locker 20, pool's id 32, balance
///   update 32, state after 32 bytes.
interface IEkuboCore {
    struct PoolKey {
        address token0;
        address token1;
        /// extension 20, fee 8, type 4 bytes.
        bytes32 config;
    }

    /// @dev Whatever follows the selector is handed back behind a selector of zeros and the lock's number.
    function lock() external;
    /// @dev Words: tokens. Native token counts when it arrives.
    function startPayments() external;
    function completePayments() external;
    /// @dev token 20, recipient 20, amount 16 bytes, any number of times.
    function withdraw() external;

    /// @dev Nothing is indexed. The price is packed as in the state.
    event PoolInitialized(bytes32 poolId, PoolKey poolKey, int32 tick, uint96 sqrtRatio);
    /// @dev The lower and the upper tick are the lowest 32 bits each of the id.
    event PositionUpdated(
        address locker,
        bytes32 poolId,
        bytes32 positionId,
        int128 liquidityDelta,
        bytes32 balanceUpdate,
        bytes32 stateAfter
    );
}
