// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State that lenses read of a Curve pool on the StableSwap invariant. Pools of different ages have some of
/// these only.
interface ICurvePoolState {
    function coins(uint256 i) external view returns (address);
    function balances(uint256 i) external view returns (uint256);
    /// @dev A × n^(n−1); pools that keep it in hundredths also tell the precise value.
    function A() external view returns (uint256);
    function A_precise() external view returns (uint256);
    /// @dev When A stops moving; in the past, or zero, while it is constant.
    function future_A_time() external view returns (uint256);
    function fee() external view returns (uint256);
    function admin_fee() external view returns (uint256);
    function offpeg_fee_multiplier() external view returns (uint256);
    function stored_rates() external view returns (uint256[] memory);
    function get_dy(int128 i, int128 j, uint256 amountIn) external view returns (uint256);
}
