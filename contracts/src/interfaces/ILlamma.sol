// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice State of Curve's lending AMM. Its swap is in `ICurvePool`.
interface ILlamma {
    /// @notice Number 0 is the borrowed token, and number 1 the collateral.
    function coins(uint256 index) external view returns (address);
    /// @notice Amounts that a swap of at most `amountIn` would take and pay.
    function get_dxdy(uint256 i, uint256 j, uint256 amountIn) external view returns (uint256 used, uint256 paid);
    function active_band() external view returns (int256);
    function bands_x(int256 band) external view returns (uint256);
    function bands_y(int256 band) external view returns (uint256);
}

/// @notice Factory of the markets where crvUSD is minted.
interface ILlammaMintFactory {
    function n_collaterals() external view returns (uint256);
    function amms(uint256 index) external view returns (address);
}

/// @notice Factories of LlamaLend, where anyone creates markets. The first version has `amms` too.
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
