// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Functions and events of version 2 of Ekubo's core that version 3 has changed. The selector of its swap is
///   zero too.
/// @dev `lock()`, `sload()`, and `PoolInitialized` are those of IEkuboCore. `lock()` calls back `locked(uint256)`.
interface IEkuboV2Core {
    struct Bounds {
        int32 lower;
        int32 upper;
    }

    struct PositionChange {
        bytes32 salt;
        Bounds bounds;
        int128 liquidityDelta;
    }

    /// @notice Credits the caller with the tokens that arrive during its callback.
    /// @dev Calls back `payCallback(uint256,address)` with the number of the lock, the token, and the bytes that follow
    ///   `token` here.
    /// @return payment Base units that arrived.
    function pay(address token) external returns (uint128 payment);
    function withdraw(address token, address recipient, uint128 amount) external;

    /// @dev No parameter is indexed.
    event PositionUpdated(
        address locker,
        bytes32 poolId,
        PositionChange change,
        int128 delta0,
        int128 delta1
    );
}
