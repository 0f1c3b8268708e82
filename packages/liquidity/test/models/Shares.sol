// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {DecimalCoin} from "./Coin.sol";

/// The share of one of Curve's first pools, of CurveTokenV2's getters: it does not tell who mints it.
contract OldShare is DecimalCoin {
    uint256 public totalSupply;

    constructor(uint256 supply) DecimalCoin(18) {
        totalSupply = supply;
    }
}

/// The same as of CurveTokenV1, which tells it.
contract MintedShare is OldShare {
    address public minter;

    constructor(uint256 supply, address minter_) OldShare(supply) {
        minter = minter_;
    }
}

/// A pool of StableSwap3Pool's getters: it does not tell what its share is.
contract OldPool {
    address[] public coins;
    uint256[] public balances;
    uint256 public get_virtual_price;

    constructor(address[] memory coins_, uint256[] memory balances_, uint256 price) {
        coins = coins_;
        balances = balances_;
        get_virtual_price = price;
    }

    function tell(uint256 price) external {
        get_virtual_price = price;
    }

    function lose(uint256 index, uint256 amount) external {
        DecimalCoin(coins[index]).transfer(address(0xdead), amount);
    }
}

/// A registry of Curve's, and the list that leads to it.
contract Registry {
    uint256 private immutable ID;
    mapping(address => address) public get_pool_from_lp_token;
    mapping(address => address) public get_lp_token;

    constructor(uint256 id) {
        ID = id;
    }

    function get_address(uint256 id) external view returns (address) {
        return id == ID ? address(this) : address(0);
    }

    function add(address pool, address share) external {
        get_pool_from_lp_token[share] = pool;
        get_lp_token[pool] = share;
    }

    function remove(address pool) external {
        get_lp_token[pool] = address(0);
    }
}

/// A vault whose rate is set by hand, as a loss or a donation does.
contract RatedVault {
    address public immutable asset;
    uint256 public totalSupply;
    uint256 private rate = 1e18;
    mapping(address => uint256) public balanceOf;

    constructor(address asset_, uint256 supply) {
        asset = asset_;
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
    }

    function set(uint256 rate_) external {
        rate = rate_;
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function totalAssets() external view returns (uint256) {
        return convertToAssets(totalSupply);
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return shares * rate / 1e18;
    }

    function previewRedeem(uint256 shares) external view returns (uint256) {
        return convertToAssets(shares);
    }

    function maxRedeem(address holder) external view returns (uint256) {
        return balanceOf[holder];
    }

    function maxWithdraw(address holder) external view returns (uint256) {
        return convertToAssets(balanceOf[holder]);
    }
}
