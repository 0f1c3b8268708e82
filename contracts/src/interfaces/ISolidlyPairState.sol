// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getters of a Solidly pair that lenses read, and the event that changes its reserves. Also for forks of
///   Solidly.
interface ISolidlyPairState {
    event Sync(uint256 reserve0, uint256 reserve1);

    /// @notice Returns the base units of a whole token0 and a whole token1, the reserves in base units, the curve, and
    ///   the tokens.
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
    /// @notice Quotes the output of `amountIn` of `tokenIn` in base units.
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256);
}
