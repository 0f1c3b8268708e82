// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {DecimalCoin} from "./Coin.sol";

/// A share of one of Curve's first pools, with the getters of CurveTokenV2, which lacks `minter`.
contract OldShare is DecimalCoin {
    uint256 public totalSupply;

    constructor(uint256 supply) DecimalCoin(18) {
        totalSupply = supply;
    }
}

/// A share with the getters of CurveTokenV1, which has `minter`.
contract MintedShare is OldShare {
    address public minter;

    constructor(uint256 supply, address minter_) OldShare(supply) {
        minter = minter_;
    }
}

/// A pool with the getters of StableSwap3Pool, which lacks a getter of its share.
contract OldPool {
    address[] public coins;
    uint256[] public balances;
    uint256 public get_virtual_price;

    constructor(address[] memory coins_, uint256[] memory balances_, uint256 price) {
        coins = coins_;
        balances = balances_;
        get_virtual_price = price;
    }

    function setVirtualPrice(uint256 price) external {
        get_virtual_price = price;
    }

    function lose(uint256 index, uint256 amount) external {
        DecimalCoin(coins[index]).transfer(address(0xdead), amount);
    }
}

/// A registry of Curve, and the address provider that lists it.
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

/// A vault whose rate the test sets, like a loss or a donation.
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
