// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What the Executor calls of the balancer-v3 vault.
interface IBalancerV3Vault {
    enum SwapKind {
        EXACT_IN,
        EXACT_OUT
    }

    enum WrappingDirection {
        WRAP,
        UNWRAP
    }

    struct BufferWrapOrUnwrapParams {
        SwapKind kind;
        WrappingDirection direction;
        address wrappedToken;
        uint256 amountGivenRaw;
        uint256 limitRaw;
    }

    struct VaultSwapParams {
        SwapKind kind;
        address pool;
        address tokenIn;
        address tokenOut;
        uint256 amountGivenRaw;
        uint256 limitRaw;
        bytes userData;
    }

    /// @dev Calls the sender back with `data` as it is.
    function unlock(bytes calldata data) external returns (bytes memory result);
    function settle(address token, uint256 amountHint) external returns (uint256 credit);
    function sendTo(address token, address to, uint256 amount) external;
    function swap(VaultSwapParams calldata params)
        external
        returns (uint256 amountCalculated, uint256 amountIn, uint256 amountOut);
    /// @notice Shares of a tokenised vault for its asset, or the other way round, out of a buffer of both.
    function erc4626BufferWrapOrUnwrap(BufferWrapOrUnwrapParams calldata params)
        external
        returns (uint256 amountCalculated, uint256 amountIn, uint256 amountOut);
}
