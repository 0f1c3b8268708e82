// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {RebasingToken} from "./RebasingToken.sol";
import {Token} from "./Token.sol";

/// A wrapper of a rebasing token. Its balances are shares, whose number does not change. Unlike other tokens of the
/// local chain, it cannot be minted, only wrapped. Its getters have the names of wstETH.
contract WrappedShares is Token {
    RebasingToken public immutable stETH;

    error MintByWrapping();

    constructor(string memory name_, string memory symbol_, RebasingToken stETH_) Token(name_, symbol_, 18) {
        stETH = stETH_;
    }

    function mint(address, uint256) external pure override {
        revert MintByWrapping();
    }

    /// @return shares Rounded down, like a transfer of the underlying token.
    function wrap(uint256 amount) external returns (uint256 shares) {
        shares = stETH.sharesFor(amount);
        totalSupply += shares;
        credit(address(0), msg.sender, shares);
        stETH.transferFrom(msg.sender, address(this), amount);
    }

    /// @return amount Rounded down. The receiver may get one base unit less.
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
