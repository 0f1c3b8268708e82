// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Functions and events of version 2 of Ekubo's core that version 3 has changed. Its swap has a selector of zeros too.
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

    /// @dev Calls back `payCallback(uint256,address)` with the number of the lock, the token, and what follows it here.
    function pay(address token) external returns (uint128 payment);
    function withdraw(address token, address recipient, uint128 amount) external;

    /// @dev Nothing is indexed.
    event PositionUpdated(
        address locker,
        bytes32 poolId,
        PositionChange change,
        int128 delta0,
        int128 delta1
    );
}
