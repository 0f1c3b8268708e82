// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getters that lenses call of a factory of DODO v2 pools, of any kind.
interface IDodoV2Factory {
    event NewDVM(address baseToken, address quoteToken, address creator, address dvm);
    event NewDPP(address baseToken, address quoteToken, address creator, address dpp);
    event NewDSP(address baseToken, address quoteToken, address creator, address dsp);

    function getDODOPool(address baseToken, address quoteToken) external view returns (address[] memory pools);
    /// @return pool The `index`-th one of the list; reverts past the last.
    function _REGISTRY_(address baseToken, address quoteToken, uint256 index) external view returns (address pool);
}

/// @notice State that lenses read of a DODO v2 pool, and what it says of a trade.
interface IDodoV2State {
    event DODOSwap(
        address fromToken, address toToken, uint256 fromAmount, uint256 toAmount, address trader, address receiver
    );

    /// @dev Targets as a trade now would find them.
    function getPMMStateForCall()
        external
        view
        returns (uint256 i, uint256 K, uint256 B, uint256 Q, uint256 B0, uint256 Q0, uint256 R);
    /// @return Which kind, such as `DVM 1.0.2`.
    function version() external view returns (string memory);
    function getUserFeeRate(address user) external view returns (uint256 lpFeeRate, uint256 mtFeeRate);
}
