// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Functions and events of version 3 of Ekubo's core, except its swap function, whose selector is zero.
/// @dev Arguments follow the selectors without ABI encoding. A swap emits a log without topics. Its data are the locker
///   (20 bytes), the pool's id (32), the balance update (32), and the new state (32).
interface IEkuboCore {
    struct PoolKey {
        address token0;
        address token1;
        /// Extension (20 bytes), fee (8), and pool type (4).
        bytes32 config;
    }

    /// @notice Calls back the caller.
    /// @dev The calldata of the callback is a zero selector, the number of the lock, and the bytes that follow the
    ///   selector here.
    function lock() external;
    /// @notice Stores the core's balances of tokens before a payment. Native token needs no call: the core counts it on
    ///   arrival.
    /// @dev Arguments: one word for each token.
    function startPayments() external;
    /// @notice Credits the caller with the balance changes since `startPayments`.
    /// @dev Arguments: one word for each token.
    function completePayments() external;
    /// @notice Pays tokens out.
    /// @dev Arguments for each payment: token (20 bytes), recipient (20), and amount (16).
    function withdraw() external;

    /// @dev No parameter is indexed. `sqrtRatio` has the packed format of the pool state.
    event PoolInitialized(bytes32 poolId, PoolKey poolKey, int32 tick, uint96 sqrtRatio);
    /// @dev `positionId` ends with the lower and the upper tick, 32 bits each.
    event PositionUpdated(
        address locker,
        bytes32 poolId,
        bytes32 positionId,
        int128 liquidityDelta,
        bytes32 balanceUpdate,
        bytes32 stateAfter
    );
}
