// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of balancer-v3 pools and of buffers, which their vault stores, and the vault's events that change it.
///   Percentages and rates have 18 decimals.
interface IBalancerV3VaultState {
    /// @dev `tokenType` is 0 for a token without a rate, and 1 for a token with a rate provider.
    struct TokenInfo {
        uint8 tokenType;
        address rateProvider;
        bool paysYieldFees;
    }

    /// @dev Balances and rates of a pool's tokens. `balancesRaw` is in base units. The live balances have 18 decimals
    ///   and include the rates. Neither includes yield fees that are due.
    struct PoolData {
        bytes32 poolConfigBits;
        address[] tokens;
        TokenInfo[] tokenInfo;
        uint256[] balancesRaw;
        uint256[] balancesLiveScaled18;
        uint256[] tokenRates;
        uint256[] decimalScalingFactors;
    }

    struct LiquidityManagement {
        bool disableUnbalancedLiquidity;
        bool enableAddLiquidityCustom;
        bool enableRemoveLiquidityCustom;
        bool enableDonation;
    }

    /// @dev The aggregate percentages are the parts of the fees that leave the pool. Times are Unix times in seconds.
    struct PoolConfig {
        LiquidityManagement liquidityManagement;
        uint256 staticSwapFeePercentage;
        uint256 aggregateSwapFeePercentage;
        uint256 aggregateYieldFeePercentage;
        uint40 tokenDecimalDiffs;
        uint32 pauseWindowEndTime;
        bool isPoolRegistered;
        bool isPoolInitialized;
        bool isPoolPaused;
        bool isPoolInRecoveryMode;
    }

    /// @dev Functions of a pool's hook that the vault calls.
    struct HooksConfig {
        bool enableHookAdjustedAmounts;
        bool shouldCallBeforeInitialize;
        bool shouldCallAfterInitialize;
        bool shouldCallComputeDynamicSwapFee;
        bool shouldCallBeforeSwap;
        bool shouldCallAfterSwap;
        bool shouldCallBeforeAddLiquidity;
        bool shouldCallAfterAddLiquidity;
        bool shouldCallBeforeRemoveLiquidity;
        bool shouldCallAfterRemoveLiquidity;
        address hooksContract;
    }

    struct TokenConfig {
        address token;
        uint8 tokenType;
        address rateProvider;
        bool paysYieldFees;
    }

    struct PoolRoleAccounts {
        address pauseManager;
        address swapFeeManager;
        address poolCreator;
    }

    event PoolRegistered(
        address indexed pool,
        address indexed factory,
        TokenConfig[] tokenConfig,
        uint256 swapFeePercentage,
        uint32 pauseWindowEndTime,
        PoolRoleAccounts roleAccounts,
        HooksConfig hooksConfig,
        LiquidityManagement liquidityManagement
    );
    event PoolInitialized(address indexed pool);
    event Swap(
        address indexed pool,
        address indexed tokenIn,
        address indexed tokenOut,
        uint256 amountIn,
        uint256 amountOut,
        uint256 swapFeePercentage,
        uint256 swapFeeAmount
    );
    event LiquidityAdded(
        address indexed pool,
        address indexed liquidityProvider,
        uint8 indexed kind,
        uint256 totalSupply,
        uint256[] amountsAddedRaw,
        uint256[] swapFeeAmountsRaw
    );
    event LiquidityRemoved(
        address indexed pool,
        address indexed liquidityProvider,
        uint8 indexed kind,
        uint256 totalSupply,
        uint256[] amountsRemovedRaw,
        uint256[] swapFeeAmountsRaw
    );
    event SwapFeePercentageChanged(address indexed pool, uint256 swapFeePercentage);
    event AggregateSwapFeePercentageChanged(address indexed pool, uint256 aggregateSwapFeePercentage);
    event PoolRecoveryModeStateChanged(address indexed pool, bool recoveryMode);
    event PoolPausedStateChanged(address indexed pool, bool paused);

    function getPoolData(address pool) external view returns (PoolData memory);
    function getPoolConfig(address pool) external view returns (PoolConfig memory);
    function getHooksConfig(address pool) external view returns (HooksConfig memory);
    function getPoolRoleAccounts(address pool) external view returns (PoolRoleAccounts memory);
    function isVaultPaused() external view returns (bool);

    /// @notice Emitted when the vault wraps tokens of a swap through a buffer.
    /// @param bufferBalances The buffer's balance of the underlying asset in the low, and of shares in the high 128
    ///   bits.
    event Wrap(
        address indexed wrappedToken, uint256 depositedUnderlying, uint256 mintedShares, bytes32 bufferBalances
    );
    /// @notice Emitted when the vault unwraps shares of a swap through a buffer.
    event Unwrap(
        address indexed wrappedToken, uint256 burnedShares, uint256 withdrawnUnderlying, bytes32 bufferBalances
    );

    /// @return asset The asset of the shares; zero if the shares have no buffer.
    function getBufferAsset(address wrappedToken) external view returns (address asset);
    /// @notice Returns the buffer's balances in base units of the asset and of the shares.
    function getBufferBalance(address wrappedToken) external view returns (uint256 underlying, uint256 wrapped);
    function areBuffersPaused() external view returns (bool);
}
