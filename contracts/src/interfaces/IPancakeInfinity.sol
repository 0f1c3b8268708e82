// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev Identifies a pool. The lowest 16 bits of `parameters` are the functions of the hook that the pool calls. The
///   tick spacing (24 bits) or the bin step (16 bits) is above them.
struct InfinityPoolKey {
    address currency0;
    address currency1;
    address hooks;
    address poolManager;
    uint24 fee;
    bytes32 parameters;
}

/// @notice Functions of the pancake-infinity vault that the Executor calls. The vault holds the tokens of all pools.
interface IPancakeInfinityVault {
    /// @notice Calls back `lockAcquired(bytes)` of the caller, who must settle all balance changes in it.
    function lock(bytes calldata data) external returns (bytes memory);
    /// @notice Stores the vault's balance of a currency before a payment.
    function sync(address currency) external;
    /// @notice Credits the caller with the payment since `sync`, or with the value of the call.
    /// @return paid Base units.
    function settle() external payable returns (uint256 paid);
    /// @notice Pays a currency out, in base units.
    function take(address currency, address to, uint256 amount) external;
}

/// @notice Manager of the pools with ticks: its swap function, getters, and events. Fees are in ppm.
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

    /// @return delta Signed amounts of currency0 in the high, and of currency1 in the low 128 bits. The caller owes
    ///   negative amounts to the vault.
    function swap(InfinityPoolKey calldata key, SwapParams calldata params, bytes calldata hookData)
        external
        returns (int256 delta);

    function getSlot0(bytes32 id)
        external
        view
        returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee);
    function getLiquidity(bytes32 id) external view returns (uint128 liquidity);
    /// @notice Returns a word of the tick bitmap. A bit is set if its tick is initialized.
    function getPoolBitmapInfo(bytes32 id, int16 word) external view returns (uint256 bits);
    /// @dev Returns further words with fees, which this interface omits.
    function getPoolTickInfo(bytes32 id, int24 tick) external view returns (uint128 gross, int128 net);
    function paused() external view returns (bool);
}

/// @notice Manager of the pools with price bins: its swap function, getters, and events. Fees are in ppm.
/// @dev A packed amount (bytes32) has currency0 in its low, and currency1 in its high 128 bits.
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

    /// @param swapForY True to sell currency0.
    /// @param amountSpecified Negative for an exact input.
    /// @return delta In the format of IPancakeInfinityClManager.swap.
    function swap(InfinityPoolKey calldata key, bool swapForY, int128 amountSpecified, bytes calldata hookData)
        external
        returns (int256 delta);

    function getSlot0(bytes32 id) external view returns (uint24 activeId, uint24 protocolFee, uint24 lpFee);
    /// @notice Returns the reserves of a bin in base units.
    /// @dev Returns further words with shares, which this interface omits.
    function getBin(bytes32 id, uint24 bin) external view returns (uint128 reserveX, uint128 reserveY);
    /// @param swapForY True to search below `bin`, false to search above it.
    /// @return next The next bin with liquidity. If there is none: zero or the maximum id.
    function getNextNonEmptyBin(bytes32 id, bool swapForY, uint24 bin) external view returns (uint24 next);
    function paused() external view returns (bool);
}
