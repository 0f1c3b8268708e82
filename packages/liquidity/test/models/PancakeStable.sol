// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Coin} from "./Coin.sol";

address constant BNB = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

/// A stable pool of the native token and a coin, like PancakeSwap's. Native input must be sent with the call. Native output is sent with
/// little gas.
contract NativeStablePool {
    uint256 private constant GAS_OF_TRANSFER = 2300;
    uint256 public constant A = 250;
    uint256 public constant fee = 4e6;
    uint256 public constant admin_fee = 5e9;
    bool public constant is_killed = false;
    Coin public immutable coin;
    uint256[2] public balances;

    constructor(Coin coin_) payable {
        coin = coin_;
        balances = [msg.value, coin_.balanceOf(address(this))];
    }

    /// The coin has no balance before its pool has an address.
    function sync() external payable {
        balances = [address(this).balance, coin.balanceOf(address(this))];
    }

    function coins(uint256 k) external view returns (address) {
        require(k < 2);
        return k == 0 ? BNB : address(coin);
    }

    function exchange(uint256 i, uint256 j, uint256 dx, uint256 minDy) external payable {
        uint256 gross = balances[j] - _balanceAfter(balances[i] + dx) - 1;
        uint256 kept = gross * fee / 1e10;
        uint256 dy = gross - kept;
        require(dy >= minDy, "too little");
        balances[i] += dx;
        balances[j] -= dy + kept * admin_fee / 1e10;
        require(msg.value == (i == 0 ? dx : 0), "Inconsistent quantity");
        if (i == 0) {
            coin.transfer(msg.sender, dy);
        } else {
            coin.transferFrom(msg.sender, address(this), dx);
            (bool ok,) = msg.sender.call{value: dy, gas: GAS_OF_TRANSFER}("");
            require(ok, "BNB transfer failed");
        }
    }

    /// Returns the balance of one token that satisfies the invariant with a balance of the other, by Newton's method.
    function _balanceAfter(uint256 other) private view returns (uint256 y) {
        uint256 d = _invariant();
        uint256 ann = A * 2;
        uint256 c = d * d / (other * 2) * d / (ann * 2);
        uint256 b = other + d / ann;
        y = d;
        for (uint256 k; k < 255; ++k) {
            uint256 last = y;
            y = (y * y + c) / (2 * y + b - d);
            if ((y > last ? y - last : last - y) <= 1) break;
        }
    }

    function _invariant() private view returns (uint256 d) {
        uint256 sum = balances[0] + balances[1];
        uint256 ann = A * 2;
        d = sum;
        for (uint256 k; k < 255; ++k) {
            uint256 product = d * d / (balances[0] * 2) * d / (balances[1] * 2);
            uint256 last = d;
            d = (ann * sum + product * 2) * d / ((ann - 1) * d + 3 * product);
            if ((d > last ? d - last : last - d) <= 1) break;
        }
    }
}

/// PancakeSwap's first factory of stable pools, with one pool of two coins.
contract FirstStableFactory {
    address private immutable POOL;
    address private immutable COIN;

    constructor(address pool, address coin) {
        (POOL, COIN) = (pool, coin);
    }

    function getPairInfo(address a, address b) external view returns (address, address, address, address) {
        bool isPair = (a == BNB && b == COIN) || (b == BNB && a == COIN);
        return isPair ? (POOL, BNB, COIN, address(this)) : (address(0), address(0), address(0), address(0));
    }
}

/// A later factory, which has a getter for pools of three coins.
contract StableFactory is FirstStableFactory {
    constructor(address pool, address coin) FirstStableFactory(pool, coin) {}

    function getThreePoolPairInfo(address, address) external pure returns (address) {
        return address(0);
    }
}
