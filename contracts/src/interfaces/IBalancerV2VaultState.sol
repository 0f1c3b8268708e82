// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of Balancer V2's vault that lenses read, and its events when a pool is created or changes. Amounts are
///   in base units.
interface IBalancerV2VaultState {
    /// @notice Emitted when a pool is created.
    event TokensRegistered(bytes32 indexed poolId, address[] tokens, address[] assetManagers);
    event Swap(
        bytes32 indexed poolId,
        address indexed tokenIn,
        address indexed tokenOut,
        uint256 amountIn,
        uint256 amountOut
    );
    /// @notice Emitted when liquidity is added (positive deltas) or removed (negative deltas).
    event PoolBalanceChanged(
        bytes32 indexed poolId,
        address indexed liquidityProvider,
        address[] tokens,
        int256[] deltas,
        uint256[] protocolFeeAmounts
    );
    /// @notice Emitted when an asset manager moves a part of a pool's balance out of the vault or back.
    event PoolBalanceManaged(
        bytes32 indexed poolId,
        address indexed assetManager,
        address indexed token,
        int256 cashDelta,
        int256 managedDelta
    );

    /// @notice Returns the pool's tokens and balances. A balance is the cash in the vault plus the part with the asset
    ///   manager.
    function getPoolTokens(bytes32 poolId)
        external
        view
        returns (address[] memory tokens, uint256[] memory balances, uint256 lastChangeBlock);
}
