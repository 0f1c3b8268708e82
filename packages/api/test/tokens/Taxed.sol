// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {TimedToken} from "Timed.sol";

interface IPair {
    function token0() external view returns (address);
    function getReserves() external view returns (uint112, uint112, uint32);
    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external;
}

/// Charges a quarter of each sale as tax. Sells the collected tax into the same pair before the next sale.
contract SellsItsTax is TimedToken {
    uint256 private constant TAX_PERCENT = 25;
    address private constant TREASURY = address(0x7EA5);
    address public pair;

    function open(address to) external {
        pair = to;
    }

    function move(address from, address to, uint256 amount) internal override {
        if (to != pair || from == address(this)) return super.move(from, to, amount);
        if (balanceOf[address(this)] > 0) sell(balanceOf[address(this)]);
        uint256 tax = (amount * TAX_PERCENT) / 100;
        super.move(from, address(this), tax);
        super.move(from, to, amount - tax);
    }

    function sell(uint256 amount) private {
        IPair own = IPair(pair);
        bool isFirst = own.token0() == address(this);
        (uint256 a, uint256 b,) = own.getReserves();
        (uint256 mine, uint256 other) = isFirst ? (a, b) : (b, a);
        super.move(address(this), pair, amount);
        // Computes the output like Uniswap's router for tokens with a fee.
        uint256 input = (balanceOf[pair] - mine) * 997;
        uint256 out = (input * other) / (mine * 1000 + input);
        own.swap(isFirst ? 0 : out, isFirst ? out : 0, TREASURY, "");
    }
}

/// Limits the account that starts a transaction to one transfer per block. Transfers to the pair do not count.
contract OneTransferPerBlock is TimedToken {
    address public pair;
    mapping(address => uint256) private lastTransfer;

    function open(address to) external {
        pair = to;
    }

    function move(address from, address to, uint256 amount) internal override {
        if (pair != address(0) && to != pair) {
            require(lastTransfer[tx.origin] < block.number, "one transfer per block");
            lastTransfer[tx.origin] = block.number;
        }
        super.move(from, to, amount);
    }
}

/// Taxes a sale of more than half of the seller's balance by 40 %, and writes dividends for sellers of a balance above
/// 50 tokens.
contract JudgesHolders is TimedToken {
    address public pair;
    mapping(address => uint256[8]) private dividends;

    function open(address to) external {
        pair = to;
    }

    function move(address from, address to, uint256 amount) internal override {
        if (to != pair || to == address(0)) return super.move(from, to, amount);
        if (balanceOf[from] > 50e18) for (uint256 i; i < 8; ++i) dividends[from][i] += amount;
        uint256 tax = amount * 2 > balanceOf[from] ? amount * 2 / 5 : 0;
        super.move(from, to, amount - tax);
        if (tax > 0) super.move(from, address(this), tax);
    }
}

/// Limits the amount of one transfer into or out of a pair, like tokens with rules against large holders.
contract LimitedTrades is TimedToken {
    mapping(address => uint256) private maxOf;

    function limit(address pair, uint256 max) external {
        maxOf[pair] = max;
    }

    function move(address from, address to, uint256 amount) internal override {
        require(maxOf[from] == 0 || amount <= maxOf[from], "max buy");
        require(maxOf[to] == 0 || amount <= maxOf[to], "max sell");
        super.move(from, to, amount);
    }
}
