// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State that is read of a camelot-v2 pair, and what it says of changes. It is traded as a solidly pair is.
interface ICamelotPairState {
    event Sync(uint112 reserve0, uint112 reserve1);
    event FeePercentUpdated(uint16 token0FeePercent, uint16 token1FeePercent);
    event SetStableSwap(bool prevStableSwap, bool stableSwap);

    /// @dev The fees are of what comes in of each token, in hundred-thousandths.
    function getReserves()
        external
        view
        returns (uint112 reserve0, uint112 reserve1, uint16 token0FeePercent, uint16 token1FeePercent);
    function stableSwap() external view returns (bool);
    /// @notice Base units in a whole token.
    function precisionMultiplier0() external view returns (uint256);
    function precisionMultiplier1() external view returns (uint256);
}
