// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What the Executor calls of a pool of Balancer's first version.
interface IBalancerV1Pool {
    /// @param maxPrice Of the input in the output after the swap, 1e18.
    function swapExactAmountIn(
        address tokenIn,
        uint256 tokenAmountIn,
        address tokenOut,
        uint256 minAmountOut,
        uint256 maxPrice
    ) external returns (uint256 tokenAmountOut, uint256 spotPriceAfter);
}

/// @notice What is read of such a pool, and what it says of trades.
interface IBalancerV1State {
    event LOG_SWAP(
        address indexed caller,
        address indexed tokenIn,
        address indexed tokenOut,
        uint256 tokenAmountIn,
        uint256 tokenAmountOut
    );
    event LOG_JOIN(address indexed caller, address indexed tokenIn, uint256 tokenAmountIn);
    event LOG_EXIT(address indexed caller, address indexed tokenOut, uint256 tokenAmountOut);

    /// @notice Counts what was sent by mistake; told by an anonymous log whose first topic is this selector.
    function gulp(address token) external;
    /// @notice From then on neither tokens, weights nor the fee can change.
    function isFinalized() external view returns (bool);
    /// @return Of 1e18.
    function getSwapFee() external view returns (uint256);
    function getFinalTokens() external view returns (address[] memory tokens);
    function getBalance(address token) external view returns (uint256);
    function getDenormalizedWeight(address token) external view returns (uint256);
}

/// @notice The factory, which knows the pools that it made.
interface IBalancerV1Factory {
    function isBPool(address pool) external view returns (bool);
}

/// @notice The register of pools by pairs, to which anybody adds pools of the factory.
interface IBalancerV1Registry {
    /// @return pools The deepest first, of those that somebody had sorted.
    function getBestPoolsWithLimit(address fromToken, address destToken, uint256 limit)
        external
        view
        returns (address[] memory pools);
    /// @return pools As they were added.
    function getPoolsWithLimit(address fromToken, address destToken, uint256 offset, uint256 limit)
        external
        view
        returns (address[] memory pools);
}
