// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Coin} from "./Coin.sol";

/// A venue with the common interface of proprietary market makers. It prices a pair by inventories that the test sets, and rejects an
/// input above half of the inventory. The input must be transferred before the call.
contract Venue {
    struct TokenPair {
        address token0;
        address token1;
    }

    TokenPair[] private pairs;
    mapping(Coin => uint256) public inventory;
    mapping(Coin => uint256) private counted;
    bool private closed;
    uint256 private quoteCount;

    error TooMuch();
    error NotPaid();
    error Late();

    function list(Coin token0, Coin token1, uint256 inventory0, uint256 inventory1) external {
        pairs.push(TokenPair(address(token0), address(token1)));
        (inventory[token0], inventory[token1]) = (inventory0, inventory1);
        (counted[token0], counted[token1]) = (token0.balanceOf(address(this)), token1.balanceOf(address(this)));
    }

    function close(bool closed_) external {
        closed = closed_;
    }

    function getPairs() external view returns (TokenPair[] memory) {
        return pairs;
    }

    function isActive(address tokenIn, address tokenOut) public view returns (bool) {
        return !closed && inventory[Coin(tokenIn)] > 0 && inventory[Coin(tokenOut)] > 0;
    }

    /// Writes to storage, which the interface permits.
    function quote(Coin tokenIn, Coin tokenOut, uint256 amountIn) public returns (uint256) {
        quoteCount++;
        if (!isActive(address(tokenIn), address(tokenOut)) || amountIn > inventory[tokenIn] / 2) revert TooMuch();
        return amountIn * inventory[tokenOut] / (inventory[tokenIn] + amountIn);
    }

    function swap(Coin tokenIn, Coin tokenOut, uint256 amountIn, uint256 minOutput, address recipient, uint256 deadline)
        external
        returns (uint256 amountOut)
    {
        if (block.timestamp > deadline) revert Late();
        if (tokenIn.balanceOf(address(this)) - counted[tokenIn] != amountIn) revert NotPaid();
        amountOut = quote(tokenIn, tokenOut, amountIn);
        if (amountOut < minOutput) revert TooMuch();
        tokenOut.transfer(recipient, amountOut);
    }
}
