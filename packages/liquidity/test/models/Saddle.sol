// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {DecimalCoin} from "./Coin.sol";

/// A pool with Saddle's interface and the StableSwap invariant. The test sets its state.
contract SaddlePool {
    uint256 private constant HUNDREDTHS = 100;
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
        uint256 d = _invariant(xp);
        uint256 before = xp[j];
        xp[i] += dx * multipliers[i];
        uint256 gross = before - _balanceAfter(xp, j, d) - 1;
        fee = gross * FEE / 1e10;
        dy = (gross - fee) / multipliers[j] + bonus;
    }

    function _balanceAfter(uint256[] memory xp, uint256 j, uint256 d) private view returns (uint256 y) {
        uint256 n = xp.length;
        uint256 ann = futureA * n;
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

    function _invariant(uint256[] memory xp) private view returns (uint256 d) {
        uint256 n = xp.length;
        uint256 ann = futureA * n;
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
