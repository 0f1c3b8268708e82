// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {DecimalCoin} from "./Coin.sol";

/// An oracle of the price of collateral, 18 decimals, which anyone can set.
contract LlammaOracle {
    uint256 public price;

    function set(uint256 price_) external {
        price = price_;
    }
}

/// A lending AMM with the interface of Curve's LLAMMA. It has one band with the invariant (f + x) × (g + y), which moves with the
/// oracle. It takes only a part of an input that exceeds its liquidity. A mode makes it hostile. 1: its quote reverts. 2: its quote
/// burns all gas. 3: its quote returns one word. 4: its quote reports less than the pool would take.
contract LlammaPool {
    uint256 private constant A = 100;
    uint256 private constant FEE = 6e15;
    uint256 private constant ONE = 1e18;
    DecimalCoin private immutable BORROWED;
    DecimalCoin private immutable COLLATERAL;
    LlammaOracle private immutable ORACLE;
    uint256 private immutable MODE;
    uint256 private x;
    uint256 private y;

    constructor(DecimalCoin borrowed, DecimalCoin collateral, LlammaOracle oracle, uint256 mode) {
        (BORROWED, COLLATERAL, ORACLE, MODE) = (borrowed, collateral, oracle, mode);
    }

    function sync() external {
        x = BORROWED.balanceOf(address(this)) * _unit(BORROWED);
        y = COLLATERAL.balanceOf(address(this)) * _unit(COLLATERAL);
    }

    function coins(uint256 k) external view returns (DecimalCoin) {
        require(k < 2);
        return k == 0 ? BORROWED : COLLATERAL;
    }

    function active_band() external pure returns (int256) {
        return -3;
    }

    function bands_x(int256 band) external view returns (uint256) {
        return band == -3 ? x : 0;
    }

    function bands_y(int256 band) external view returns (uint256) {
        return band == -3 ? y : 0;
    }

    function get_dxdy(uint256 i, uint256 j, uint256 amount) external view returns (uint256 used, uint256 paid) {
        require(MODE != 1);
        if (MODE == 2) {
            assembly {
                invalid()
            }
        }
        (used, paid) = _trade(i, j, amount);
        if (MODE == 3) {
            assembly {
                mstore(0, paid)
                return(0, 0x20)
            }
        }
        if (MODE == 4) used -= 1;
    }

    function exchange(uint256 i, uint256 j, uint256 amount, uint256 min) external returns (uint256[2] memory) {
        (uint256 used, uint256 paid) = _trade(i, j, amount);
        require(paid >= min, "Slippage");
        if (used == 0 || paid == 0) return [uint256(0), 0];
        if (i == 0) (x, y) = (x + used * _unit(BORROWED), y - paid * _unit(COLLATERAL));
        else (x, y) = (x - paid * _unit(BORROWED), y + used * _unit(COLLATERAL));
        (DecimalCoin from, DecimalCoin to) = i == 0 ? (BORROWED, COLLATERAL) : (COLLATERAL, BORROWED);
        from.transferFrom(msg.sender, address(this), used);
        to.transfer(msg.sender, paid);
        return [used, paid];
    }

    function _trade(uint256 i, uint256 j, uint256 amount) private view returns (uint256 used, uint256 paid) {
        require(i + j == 1, "Wrong index");
        uint256 price = ORACLE.price();
        // The collateral that the whole band is worth at the price of the oracle.
        uint256 whole = y + x * ONE / price;
        (uint256 f, uint256 g) = (whole * A * price / ONE, whole * (A - 1));
        (DecimalCoin from, DecimalCoin to) = i == 0 ? (BORROWED, COLLATERAL) : (COLLATERAL, BORROWED);
        (uint256 inside, uint256 outside, uint256 rest) = i == 0 ? (f + x, g + y, y) : (g + y, f + x, x);
        uint256 scaled = amount * _unit(from);
        uint256 kept = scaled * (ONE - FEE) / ONE;
        paid = outside * kept / (inside + kept);
        used = amount;
        if (paid > rest) {
            paid = rest;
            used = inside * rest / (outside - rest) * ONE / (ONE - FEE) / _unit(from) + 1;
        }
        paid /= _unit(to);
    }

    function _unit(DecimalCoin coin) private view returns (uint256) {
        return 10 ** (18 - coin.decimals());
    }
}

/// A factory with a list of pools.
abstract contract LlammaList {
    address[] public amms;

    constructor(address[] memory list) {
        amms = list;
    }
}

/// The factory of crvUSD.
contract LlammaMintFactory is LlammaList {
    constructor(address[] memory list) LlammaList(list) {}

    function n_collaterals() external view returns (uint256) {
        return amms.length;
    }
}

/// The first factory of LlamaLend.
contract LlammaLendFactory is LlammaList {
    constructor(address[] memory list) LlammaList(list) {}

    function market_count() external view returns (uint256) {
        return amms.length;
    }
}

/// The second factory of LlamaLend.
contract LlammaLendFactory2 {
    struct Market {
        address vault;
        address controller;
        address amm;
        address collateral;
        address borrowed;
        address oracle;
        address policy;
    }

    address[] private list;

    constructor(address[] memory list_) {
        list = list_;
    }

    function market_count() external view returns (uint256) {
        return list.length;
    }

    function markets(uint256 k) external view returns (Market memory market) {
        market.amm = list[k];
        market.vault = address(this);
    }
}
