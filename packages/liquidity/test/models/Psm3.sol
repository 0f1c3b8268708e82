// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Coin, DecimalCoin} from "./Coin.sol";

/// A module with the interface of Spark's PSM3, which rounds down at each division.
contract Psm3 {
    DecimalCoin public immutable usdc;
    DecimalCoin public immutable usds;
    DecimalCoin public immutable susds;
    address public pocket;
    uint256 public getConversionRate;

    constructor(DecimalCoin usdc_, DecimalCoin usds_, DecimalCoin susds_) {
        (usdc, usds, susds) = (usdc_, usds_, susds_);
        pocket = address(this);
        getConversionRate = 1e27;
    }

    function rateProvider() external view returns (address) {
        return address(this);
    }

    function set(address pocket_, uint256 rate) external {
        (pocket, getConversionRate) = (pocket_, rate);
    }

    function swapExactIn(Coin assetIn, Coin assetOut, uint256 amountIn, uint256 least, address receiver, uint256)
        external
        returns (uint256 amountOut)
    {
        require(amountIn != 0 && receiver != address(0));
        (uint256 from, uint256 to) = (_unit(assetIn), _unit(assetOut));
        if (assetOut == susds) amountOut = amountIn * 1e27 / getConversionRate * to / from;
        else if (assetIn == susds) amountOut = amountIn * getConversionRate / 1e27 * to / from;
        else amountOut = amountIn * to / from;
        require(amountOut >= least);
        assetIn.transferFrom(msg.sender, assetIn == usdc ? pocket : address(this), amountIn);
        if (assetOut == usdc && pocket != address(this)) assetOut.transferFrom(pocket, receiver, amountOut);
        else assetOut.transfer(receiver, amountOut);
    }

    function _unit(Coin asset) private view returns (uint256) {
        require(asset == usdc || asset == usds || asset == susds);
        return 10 ** DecimalCoin(address(asset)).decimals();
    }
}
