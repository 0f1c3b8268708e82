// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getters and events of the factories of DODO v2 pools: DVM, DPP, and DSP.
interface IDodoV2Factory {
    event NewDVM(address baseToken, address quoteToken, address creator, address dvm);
    event NewDPP(address baseToken, address quoteToken, address creator, address dpp);
    event NewDSP(address baseToken, address quoteToken, address creator, address dsp);

    /// @notice Returns all pools with this base and this quote token.
    function getDODOPool(address baseToken, address quoteToken) external view returns (address[] memory pools);
    /// @return pool Pool number `index` of that list, from zero; reverts after the last one.
    function _REGISTRY_(address baseToken, address quoteToken, uint256 index) external view returns (address pool);
}

/// @notice State of a DODO v2 pool that lenses read, and its swap event. Amounts are in base units. Fee rates have 18
///   decimals.
interface IDodoV2State {
    event DODOSwap(
        address fromToken, address toToken, uint256 fromAmount, uint256 toAmount, address trader, address receiver
    );

    /// @notice Returns the parameters of the price curve at the current reserves.
    /// @dev `i`: price of the base token in quote tokens. `K`: slippage factor, 18 decimals. `B` and `Q`: reserves.
    ///   `B0` and `Q0`: targets of the reserves, updated for a trade now. `R`: 0 if both reserves are at their targets,
    ///   1 if the base reserve is below its target, 2 if the quote reserve is below its target.
    function getPMMStateForCall()
        external
        view
        returns (uint256 i, uint256 K, uint256 B, uint256 Q, uint256 B0, uint256 Q0, uint256 R);
    /// @return Kind and release of the pool, such as `DVM 1.0.2`.
    function version() external view returns (string memory);
    /// @return lpFeeRate Part of the output that stays with the liquidity providers.
    /// @return mtFeeRate Part of the output that the maintainer receives; may depend on `user`.
    function getUserFeeRate(address user) external view returns (uint256 lpFeeRate, uint256 mtFeeRate);
}
