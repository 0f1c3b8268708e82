// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getter of the factory of echodex pairs. Its other functions are those of Uniswap V2.
interface IEchodexFactory {
    /// @return The token in which pairs hold fees in addition to their reserve.
    function tokenFee() external view returns (address);
}
