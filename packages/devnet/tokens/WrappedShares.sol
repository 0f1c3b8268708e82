// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {RebasingToken} from "./RebasingToken.sol";
import {Token} from "./Token.sol";

/// Holds a rebasing token and hands out its shares, whose number does not change. Unlike other tokens of the local chain
/// nobody can mint it: wrap instead. What is read of it has the names of wstETH.
contract WrappedShares is Token {
    RebasingToken public immutable stETH;

    error MintByWrapping();

    constructor(string memory name_, string memory symbol_, RebasingToken stETH_) Token(name_, symbol_, 18) {
        stETH = stETH_;
    }

    function mint(address, uint256) external pure override {
        revert MintByWrapping();
    }

    /// @return shares rounded down, as the underlying token moves them
    function wrap(uint256 amount) external returns (uint256 shares) {
        shares = stETH.sharesFor(amount);
        totalSupply += shares;
        credit(address(0), msg.sender, shares);
        stETH.transferFrom(msg.sender, address(this), amount);
    }

    /// @return amount rounded down; the receiver may get a base unit less of it
    function unwrap(uint256 shares) external returns (uint256 amount) {
        amount = stETH.amountFor(shares);
        debit(msg.sender, shares);
        totalSupply -= shares;
        emit Transfer(msg.sender, address(0), shares);
        stETH.transfer(msg.sender, amount);
    }

    function getWstETHByStETH(uint256 amount) external view returns (uint256 shares) {
        return stETH.sharesFor(amount);
    }

    function getStETHByWstETH(uint256 shares) external view returns (uint256 amount) {
        return stETH.amountFor(shares);
    }
}
