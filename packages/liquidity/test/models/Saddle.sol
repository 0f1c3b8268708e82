// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {DecimalCoin} from "./Coin.sol";

/// The StableSwap invariant, with an amplification in hundredths.
library StableMath {
    uint256 private constant HUNDREDTHS = 100;

    function balanceAfter(uint256[] memory xp, uint256 j, uint256 d, uint256 a) internal pure returns (uint256 y) {
        uint256 n = xp.length;
        uint256 ann = a * n;
        (uint256 c, uint256 b) = (d, d * HUNDREDTHS / ann);
        for (uint256 k; k < n; ++k) {
            if (k == j) continue;
            c = c * d / (xp[k] * n);
            b += xp[k];
        }
        c = c * d * HUNDREDTHS / (ann * n);
        y = d;
        for (uint256 k; k < 255; ++k) {
            uint256 last = y;
            y = (y * y + c) / (2 * y + b - d);
            if ((y > last ? y - last : last - y) <= 1) break;
        }
    }

    function invariant(uint256[] memory xp, uint256 a) internal pure returns (uint256 d) {
        uint256 n = xp.length;
        uint256 ann = a * n;
        uint256 sum;
        for (uint256 k; k < n; ++k) {
            sum += xp[k];
        }
        d = sum;
        for (uint256 round; round < 255; ++round) {
            uint256 product = d;
            for (uint256 k; k < n; ++k) {
                product = product * d / (xp[k] * n);
            }
            uint256 last = d;
            d = (ann * sum / HUNDREDTHS + product * n) * d
                / ((ann - HUNDREDTHS) * d / HUNDREDTHS + (n + 1) * product);
            if ((d > last ? d - last : last - d) <= 1) break;
        }
    }
}

/// A pool with Saddle's interface and the StableSwap invariant. The test sets its state.
contract SaddlePool {
    DecimalCoin[] private coins;
    uint256[] private held;
    uint256[] private multipliers;
    uint256 private futureA;
    uint256 private futureTime;
    uint256 private immutable FEE;
    uint256 private immutable ADMIN_FEE;
    /// Base units that quotes and swaps pay in addition to the invariant.
    uint256 private bonus;
    bool public paused;

    constructor(DecimalCoin[] memory coins_, uint256 a, uint256 fee, uint256 adminFee) {
        (coins, futureA, FEE, ADMIN_FEE) = (coins_, a, fee, adminFee);
        for (uint256 k; k < coins_.length; ++k) {
            held.push(0);
            multipliers.push(10 ** (18 - coins_[k].decimals()));
        }
    }

    function sync() external {
        for (uint256 k; k < coins.length; ++k) {
            held[k] = coins[k].balanceOf(address(this));
        }
    }

    function setPaused(bool on) external {
        paused = on;
    }

    function setBonus(uint256 units) external {
        bonus = units;
    }

    /// Models only the end of a ramp: the amplification changes at once.
    function rampA(uint256 a, uint256 time) external {
        (futureA, futureTime) = (a, time);
    }

    function getToken(uint8 k) external view returns (DecimalCoin) {
        require(k < coins.length, "Out of range");
        return coins[k];
    }

    function getTokenBalance(uint8 k) external view returns (uint256) {
        return held[k];
    }

    function getAPrecise() external view returns (uint256) {
        return futureA;
    }

    function swapStorage()
        external
        view
        returns (uint256, uint256, uint256, uint256, uint256, uint256, address shareToken)
    {
        return (futureA, futureA, 0, futureTime, FEE, ADMIN_FEE, address(this));
    }

    function calculateSwap(uint8 i, uint8 j, uint256 dx) external view returns (uint256 dy) {
        (dy,) = _quote(i, j, dx);
    }

    function swap(uint8 i, uint8 j, uint256 dx, uint256 minDy, uint256 deadline) external returns (uint256) {
        require(!paused && block.timestamp <= deadline);
        coins[i].transferFrom(msg.sender, address(this), dx);
        (uint256 dy, uint256 fee) = _quote(i, j, dx);
        require(dy >= minDy, "too little");
        held[i] += dx;
        held[j] -= dy + fee * ADMIN_FEE / 1e10 / multipliers[j];
        coins[j].transfer(msg.sender, dy);
        return dy;
    }

    function _quote(uint8 i, uint8 j, uint256 dx) private view returns (uint256 dy, uint256 fee) {
        uint256 n = coins.length;
        uint256[] memory xp = new uint256[](n);
        for (uint256 k; k < n; ++k) {
            xp[k] = held[k] * multipliers[k];
        }
        uint256 d = StableMath.invariant(xp, futureA);
        uint256 before = xp[j];
        xp[i] += dx * multipliers[i];
        uint256 gross = before - StableMath.balanceAfter(xp, j, d, futureA) - 1;
        fee = gross * FEE / 1e10;
        dy = (gross - fee) / multipliers[j] + bonus;
    }
}

/// A pool whose share has a price that can be chosen.
contract SaddleBase {
    uint256 public getVirtualPrice;

    function set(uint256 price) external {
        getVirtualPrice = price;
    }
}

/// A pool with the interface of Saddle's MetaSwap: its last token is a share of another pool, whose price it caches.
contract SaddleSharePool {
    DecimalCoin[] private coins;
    uint256[] private held;
    uint256[] private multipliers;
    uint256 private immutable A;
    uint256 private immutable FEE;
    uint256 private immutable ADMIN_FEE;
    SaddleBase private immutable BASE;
    uint256 private cachedPrice;
    uint256 private cachedAt;
    bool public paused;

    constructor(DecimalCoin[] memory coins_, uint256 a, uint256 fee, uint256 adminFee, SaddleBase base) {
        (coins, A, FEE, ADMIN_FEE, BASE) = (coins_, a, fee, adminFee, base);
        for (uint256 k; k < coins_.length; ++k) {
            held.push(0);
            multipliers.push(10 ** (18 - coins_[k].decimals()));
        }
    }

    function sync() external {
        for (uint256 k; k < coins.length; ++k) {
            held[k] = coins[k].balanceOf(address(this));
        }
    }

    function cache(uint256 price, uint256 at) external {
        (cachedPrice, cachedAt) = (price, at);
    }

    function getToken(uint8 k) external view returns (DecimalCoin) {
        require(k < coins.length, "Out of range");
        return coins[k];
    }

    function getTokenBalance(uint8 k) external view returns (uint256) {
        return held[k];
    }

    function getAPrecise() external view returns (uint256) {
        return A;
    }

    function swapStorage()
        external
        view
        returns (uint256, uint256, uint256, uint256, uint256, uint256, address shareToken)
    {
        return (A, A, 0, 0, FEE, ADMIN_FEE, address(this));
    }

    function metaSwapStorage() external view returns (address, uint256, uint256) {
        return (address(BASE), cachedPrice, cachedAt);
    }

    function calculateSwap(uint8 i, uint8 j, uint256 dx) external view returns (uint256 dy) {
        (dy,) = _quote(i, j, dx, _price());
    }

    function swap(uint8 i, uint8 j, uint256 dx, uint256 minDy, uint256 deadline) external returns (uint256) {
        require(block.timestamp <= deadline);
        coins[i].transferFrom(msg.sender, address(this), dx);
        uint256 price = _price();
        if (price != cachedPrice) (cachedPrice, cachedAt) = (price, block.timestamp);
        (uint256 dy, uint256 fee) = _quote(i, j, dx, price);
        require(dy >= minDy, "too little");
        held[i] += dx;
        held[j] -= dy + fee * ADMIN_FEE / 1e10 / multipliers[j];
        coins[j].transfer(msg.sender, dy);
        return dy;
    }

    function _price() private view returns (uint256) {
        return block.timestamp > cachedAt + 10 minutes ? BASE.getVirtualPrice() : cachedPrice;
    }

    /// The fee is taken from shares if these are bought, and else from amounts of 18 decimals.
    function _quote(uint8 i, uint8 j, uint256 dx, uint256 price) private view returns (uint256 dy, uint256 fee) {
        uint256 share = coins.length - 1;
        uint256[] memory xp = new uint256[](coins.length);
        for (uint256 k; k < xp.length; ++k) {
            xp[k] = held[k] * multipliers[k];
            if (k == share) xp[k] = xp[k] * price / 1e18;
        }
        uint256 d = StableMath.invariant(xp, A);
        uint256 before = xp[j];
        uint256 input = dx * multipliers[i];
        xp[i] += i == share ? input * price / 1e18 : input;
        uint256 gross = before - StableMath.balanceAfter(xp, j, d, A) - 1;
        if (j == share) gross = gross * 1e18 / price;
        fee = gross * FEE / 1e10;
        dy = (gross - fee) / multipliers[j];
    }
}
