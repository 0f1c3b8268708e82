// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State that lenses read of a solidly style pair, and what it says when its reserves change.
interface ISolidlyPairState {
    event Sync(uint256 reserve0, uint256 reserve1);

    function metadata()
        external
        view
        returns (
            uint256 decimals0,
            uint256 decimals1,
            uint256 reserve0,
            uint256 reserve1,
            bool stable,
            address token0,
            address token1
        );
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256);
}
