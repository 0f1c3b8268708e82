// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of a camelot-v2 pair, and its events that change it. Swaps use the functions of ISolidlyPair.
interface ICamelotPairState {
    event Sync(uint112 reserve0, uint112 reserve1);
    event FeePercentUpdated(uint16 token0FeePercent, uint16 token1FeePercent);
    event SetStableSwap(bool prevStableSwap, bool stableSwap);

    /// @notice Returns the reserves in base units, and the fees of inputs of each token in parts per 100,000.
    function getReserves()
        external
        view
        returns (uint112 reserve0, uint112 reserve1, uint16 token0FeePercent, uint16 token1FeePercent);
    /// @notice Returns true if the pair uses the stable curve.
    function stableSwap() external view returns (bool);
    /// @notice Returns the base units of a whole token0.
    function precisionMultiplier0() external view returns (uint256);
    /// @notice Returns the base units of a whole token1.
    function precisionMultiplier1() external view returns (uint256);
}
