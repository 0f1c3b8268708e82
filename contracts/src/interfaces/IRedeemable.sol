// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Getters that identify a token as a share of other tokens, and that show the amounts for which a share
///   redeems.
/// @dev RedemptionLens calls these. Each kind of share has only some of them.
interface IRedeemable {
    // Tokenized vaults (ERC-4626)
    function asset() external view returns (address);
    function previewRedeem(uint256 shares) external view returns (uint256);
    function convertToAssets(uint256 shares) external view returns (uint256);
    function maxRedeem(address owner) external view returns (uint256);
    function maxWithdraw(address owner) external view returns (uint256);

    // Money markets: aTokens, cTokens
    function UNDERLYING_ASSET_ADDRESS() external view returns (address);
    function underlying() external view returns (address);
    function exchangeRateStored() external view returns (uint256);

    // Staked tokens: those of Aave's safety module, rETH
    function STAKED_TOKEN() external view returns (address);
    function getExchangeRate() external view returns (uint256);

    // Pairs of Uniswap V2 and its forks
    function token0() external view returns (address);
    function token1() external view returns (address);
    function getReserves() external view returns (uint112, uint112, uint32);

    // Curve
    function minter() external view returns (address);
    function token() external view returns (address);
    function lp_token() external view returns (address);
    function get_virtual_price() external view returns (uint256);
    function coins(uint256 index) external view returns (address);
    function balances(uint256 index) external view returns (uint256);
    function stored_rates() external view returns (uint256[] memory);
    function gamma() external view returns (uint256);

    // Curve's registries
    function get_pool_from_lp_token(address share) external view returns (address);
    function get_lp_token(address pool) external view returns (address);

    // Balancer V2
    function getPoolId() external view returns (bytes32);
    function getVault() external view returns (address);
    function getPool(bytes32 id) external view returns (address pool, uint8 specialization);
    function getPoolTokens(bytes32 id)
        external
        view
        returns (address[] memory tokens, uint256[] memory balances, uint256 lastChangeBlock);
    function getNormalizedWeights() external view returns (uint256[] memory);
    function getActualSupply() external view returns (uint256);
    function getVirtualSupply() external view returns (uint256);
    function getRate() external view returns (uint256);
    function getTokenRate(address token) external view returns (uint256);

    // ERC-20
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function decimals() external view returns (uint8);
}

/// @notice Getters of Curve's first pools, whose coin indices are signed integers.
interface ISignedCoins {
    function coins(int128 index) external view returns (address);
    function balances(int128 index) external view returns (uint256);
}
