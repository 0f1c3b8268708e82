// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What is asked of the factory of echodex pairs. The rest is that of Uniswap V2.
interface IEchodexFactory {
    /// @return The token in which pairs hold fees beside their reserve.
    function tokenFee() external view returns (address);
}
