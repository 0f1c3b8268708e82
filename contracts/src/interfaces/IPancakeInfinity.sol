// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev Parameters hold the hook's bits in the lowest 16, then the tick spacing (24 bits) or the bin step (16 bits).
struct InfinityPoolKey {
    address currency0;
    address currency1;
    address hooks;
    address poolManager;
    uint24 fee;
    bytes32 parameters;
}

/// @notice Calls of the Executor to the pancake-infinity vault, which holds the tokens of all pools.
interface IPancakeInfinityVault {
    /// @dev Calls back lockAcquired(bytes).
    function lock(bytes calldata data) external returns (bytes memory);
    function sync(address currency) external;
    function settle() external payable returns (uint256 paid);
    function take(address currency, address to, uint256 amount) external;
}

/// @notice Pools with ticks: what the Executor calls, what is read, and what they say of changes.
interface IPancakeInfinityClManager {
    struct SwapParams {
        bool zeroForOne;
        /// @dev Negative for an exact input.
        int256 amountSpecified;
        uint160 sqrtPriceLimitX96;
    }

    event Initialize(
        bytes32 indexed id,
        address indexed currency0,
        address indexed currency1,
        address hooks,
        uint24 fee,
        bytes32 parameters,
        uint160 sqrtPriceX96,
        int24 tick
    );
    event Swap(
        bytes32 indexed id,
        address indexed sender,
        int128 amount0,
        int128 amount1,
        uint160 sqrtPriceX96,
        uint128 liquidity,
        int24 tick,
        uint24 fee,
        uint16 protocolFee
    );
    event ModifyLiquidity(
        bytes32 indexed id,
        address indexed sender,
        int24 tickLower,
        int24 tickUpper,
        int256 liquidityDelta,
        bytes32 salt
    );
    event ProtocolFeeUpdated(bytes32 indexed id, uint24 protocolFee);
    event DynamicLPFeeUpdated(bytes32 indexed id, uint24 dynamicLPFee);

    /// @return delta currency0 in the upper and currency1 in the lower 128 bits; negative is owed to the vault.
    function swap(InfinityPoolKey calldata key, SwapParams calldata params, bytes calldata hookData)
        external
        returns (int256 delta);

    function getSlot0(bytes32 id)
        external
        view
        returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee);
    function getLiquidity(bytes32 id) external view returns (uint128 liquidity);
    function getPoolBitmapInfo(bytes32 id, int16 word) external view returns (uint256 bits);
    /// @dev Further words tell of fees.
    function getPoolTickInfo(bytes32 id, int24 tick) external view returns (uint128 gross, int128 net);
    function paused() external view returns (bool);
}

/// @notice Pools of price bins: what the Executor calls, what is read, and what they say of changes.
interface IPancakeInfinityBinManager {
    event Initialize(
        bytes32 indexed id,
        address indexed currency0,
        address indexed currency1,
        address hooks,
        uint24 fee,
        bytes32 parameters,
        uint24 activeId
    );
    event Swap(
        bytes32 indexed id,
        address indexed sender,
        int128 amount0,
        int128 amount1,
        uint24 activeId,
        uint24 fee,
        uint16 protocolFee
    );
    event Mint(
        bytes32 indexed id,
        address indexed sender,
        uint256[] ids,
        bytes32 salt,
        bytes32[] amounts,
        bytes32 compositionFeeAmount,
        bytes32 feeAmountToProtocol
    );
    event Burn(bytes32 indexed id, address indexed sender, uint256[] ids, bytes32 salt, bytes32[] amounts);
    event Donate(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint24 binId);

    /// @param amountSpecified Negative for an exact input.
    /// @return delta As of the other manager.
    function swap(InfinityPoolKey calldata key, bool swapForY, int128 amountSpecified, bytes calldata hookData)
        external
        returns (int256 delta);

    function getSlot0(bytes32 id) external view returns (uint24 activeId, uint24 protocolFee, uint24 lpFee);
    /// @dev Further words tell of shares.
    function getBin(bytes32 id, uint24 bin) external view returns (uint128 reserveX, uint128 reserveY);
    /// @param swapForY Looks below `bin`, else above. Zero or the highest id where there is none.
    function getNextNonEmptyBin(bytes32 id, bool swapForY, uint24 bin) external view returns (uint24 next);
    function paused() external view returns (bool);
}
