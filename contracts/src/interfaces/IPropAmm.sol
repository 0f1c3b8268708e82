// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice A venue of proprietary market makers as the Executor calls it: it checks that it was sent what it is told.
interface IPropAmmVenue {
    function swap(
        address tokenIn,
        address tokenOut,
        uint256 amountIn,
        uint256 minAmountOut,
        address recipient,
        uint256 deadline
    ) external returns (uint256 amountOut);
}

/// @notice A venue as lenses read it.
interface IPropAmmState {
    struct TokenPair {
        address token0;
        address token1;
    }

    event Swapped(
        address indexed sender,
        address indexed tokenIn,
        address indexed tokenOut,
        uint256 amountIn,
        uint256 amountOut,
        address recipient
    );

    function getPairs() external view returns (TokenPair[] memory);
    function isActive(address tokenIn, address tokenOut) external view returns (bool);
    /// @dev May write: only ever asked inside eth_call.
    function quote(address tokenIn, address tokenOut, uint256 amountIn) external returns (uint256 amountOut);
}
