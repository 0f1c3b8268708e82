// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State that is read of the balancer-v3 vault, which answers for its pools.
interface IBalancerV3VaultState {
    struct TokenInfo {
        uint8 tokenType;
        address rateProvider;
        bool paysYieldFees;
    }

    /// @dev Balances are without the yield fees that are due.
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

    event Wrap(
        address indexed wrappedToken, uint256 depositedUnderlying, uint256 mintedShares, bytes32 bufferBalances
    );
    event Unwrap(
        address indexed wrappedToken, uint256 burnedShares, uint256 withdrawnUnderlying, bytes32 bufferBalances
    );

    /// @return asset Zero where there is no buffer for the shares.
    function getBufferAsset(address wrappedToken) external view returns (address asset);
    function getBufferBalance(address wrappedToken) external view returns (uint256 underlying, uint256 wrapped);
    function areBuffersPaused() external view returns (bool);
}
