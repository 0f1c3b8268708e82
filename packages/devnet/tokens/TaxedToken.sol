// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Token} from "./Token.sol";

/// Charges 5 % of every transfer: the receiver gets less than the sent amount.
contract TaxedToken is Token {
    uint256 public constant TAX_BPS = 500;
    address public immutable collector;

    constructor(string memory name_, string memory symbol_, uint8 decimals_, address collector_)
        Token(name_, symbol_, decimals_)
    {
        collector = collector_;
    }

    /// The tax is rounded down.
    function move(address from, address to, uint256 amount) internal override {
        uint256 tax = (amount * TAX_BPS) / 10_000;
        debit(from, amount);
        credit(from, to, amount - tax);
        if (tax != 0) credit(from, collector, tax);
    }
}
