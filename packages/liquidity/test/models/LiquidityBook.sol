// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {DecimalCoin} from "./Coin.sol";

/// A pair with the interface of Liquidity Book 2.0, in one bin of price 1, with a fee of 0.2 %.
contract OldBookPair {
    DecimalCoin public immutable tokenX;
    DecimalCoin public immutable tokenY;
    uint256 private reserveX;
    uint256 private reserveY;

    constructor(DecimalCoin x, DecimalCoin y) {
        (tokenX, tokenY) = (x, y);
    }

    function sync() public {
        (reserveX, reserveY) = (tokenX.balanceOf(address(this)), tokenY.balanceOf(address(this)));
    }

    /// The input was sent before. Unlike version 2.1, both amounts of the output are returned.
    function swap(bool forY, address to) external returns (uint256 amountX, uint256 amountY) {
        uint256 input = forY ? tokenX.balanceOf(address(this)) - reserveX : tokenY.balanceOf(address(this)) - reserveY;
        uint256 output = input * 998 / 1000;
        require(output != 0 && output <= (forY ? reserveY : reserveX), "no liquidity");
        (amountX, amountY) = forY ? (uint256(0), output) : (output, uint256(0));
        (forY ? tokenY : tokenX).transfer(to, output);
        sync();
    }
}

contract OldBookFactory {
    struct Information {
        uint16 binStep;
        address pair;
        bool createdByOwner;
        bool ignoredForRouting;
    }

    OldBookPair private immutable PAIR;

    constructor(OldBookPair pair) {
        PAIR = pair;
    }

    function getAllLBPairs(DecimalCoin a, DecimalCoin b) external view returns (Information[] memory list) {
        (DecimalCoin x, DecimalCoin y) = (PAIR.tokenX(), PAIR.tokenY());
        if (!((a == x && b == y) || (a == y && b == x))) return list;
        list = new Information[](1);
        list[0] = Information(25, address(PAIR), true, false);
    }
}
