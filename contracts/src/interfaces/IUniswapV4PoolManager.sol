// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Functions of Uniswap V4's PoolManager, the contract of all pools, that the Executor calls.
interface IUniswapV4PoolManager {
    struct PoolKey {
        address currency0;
        address currency1;
        uint24 fee;
        int24 tickSpacing;
        address hooks;
    }

    struct SwapParams {
        bool zeroForOne;
        /// @dev Negative for an exact input.
        int256 amountSpecified;
        uint160 sqrtPriceLimitX96;
    }

    /// @notice Calls back `unlockCallback(bytes)` of the caller, who must settle all balance changes in it.
    function unlock(bytes calldata data) external returns (bytes memory);

    /// @return delta Signed amounts of currency0 in the high, and of currency1 in the low 128 bits. The caller owes
    ///   negative amounts to the manager.
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata hookData)
        external
        returns (int256 delta);

    /// @notice Stores the manager's balance of a currency before a payment.
    function sync(address currency) external;
    /// @notice Credits the caller with the payment since `sync`, or with the value of the call.
    /// @return paid Base units.
    function settle() external payable returns (uint256 paid);
    /// @notice Pays a currency out, in base units.
    function take(address currency, address to, uint256 amount) external;
}
