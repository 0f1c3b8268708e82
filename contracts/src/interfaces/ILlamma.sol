// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of LLAMMA, Curve's lending AMM. Its swap is the exchange function of ICurvePool with unsigned indices.
interface ILlamma {
    /// @notice Returns the borrowed token for index 0, and the collateral for index 1.
    function coins(uint256 index) external view returns (address);
    /// @notice Quotes a swap of at most `amountIn`.
    /// @return used Base units of coin `i` that the swap would take.
    /// @return paid Base units of coin `j` that the swap would pay.
    function get_dxdy(uint256 i, uint256 j, uint256 amountIn) external view returns (uint256 used, uint256 paid);
    /// @notice Returns the price band of the current price.
    function active_band() external view returns (int256);
    /// @notice Returns the borrowed token in a band, 18 decimals.
    function bands_x(int256 band) external view returns (uint256);
    /// @notice Returns the collateral in a band, 18 decimals.
    function bands_y(int256 band) external view returns (uint256);
}

/// @notice Factory of the markets that mint crvUSD.
interface ILlammaMintFactory {
    function n_collaterals() external view returns (uint256);
    function amms(uint256 index) external view returns (address);
}

/// @notice Factory of LlamaLend, where anyone can create markets. The first version also has the `amms` of
///   ILlammaMintFactory.
interface ILlammaLendFactory {
    function market_count() external view returns (uint256);
    function markets(uint256 index)
        external
        view
        returns (
            address vault,
            address controller,
            address amm,
            address collateral,
            address borrowed,
            address oracle,
            address policy
        );
}
