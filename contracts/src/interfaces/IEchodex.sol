// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getter of the factory of echodex pairs. The factory's other functions are those of IUniswapV2Factory.
interface IEchodexFactory {
    /// @return Token of the fees. A pair can hold fees in this token in addition to its reserve of it.
    function tokenFee() external view returns (address);
}
