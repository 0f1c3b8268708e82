// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20Metadata} from "../interfaces/IERC20Metadata.sol";
import {IPropAmmState} from "../interfaces/IPropAmm.sol";

/// @title PropAmmLens
/// @notice Samples what a venue of proprietary market makers quotes; never deployed.
contract PropAmmLens {
    /// @dev Amounts that are asked for: from a 1,024th of a whole token, each twice the one before.
    uint256 private constant MOST = 38;
    uint256 private constant SMALLEST = 1024;

    /// @dev By the token that is sold; empty if it is not traded now.
    struct Side {
        uint256[] amountsIn;
        uint256[] amountsOut;
    }

    function sample(IPropAmmState venue, address[2] calldata tokens) external returns (Side[2] memory sides) {
        for (uint256 i; i < 2; ++i) sides[i] = _side(venue, tokens[i], tokens[1 - i]);
    }

    /// @dev Ends if the venue refuses more, or pays no more for it.
    function _side(IPropAmmState venue, address tokenIn, address tokenOut) private returns (Side memory side) {
        (side.amountsIn, side.amountsOut) = (new uint256[](MOST), new uint256[](MOST));
        uint256 count;
        if (venue.isActive(tokenIn, tokenOut)) {
            uint256 amount = 10 ** IERC20Metadata(tokenIn).decimals() / SMALLEST;
            if (amount == 0) amount = 1;
            for (uint256 k; k < MOST; ++k) {
                uint256 amountOut = _quote(venue, tokenIn, tokenOut, amount);
                if (count > 0 && amountOut <= side.amountsOut[count - 1]) break;
                if (amountOut > 0) (side.amountsIn[count], side.amountsOut[count++]) = (amount, amountOut);
                amount *= 2;
            }
        }
        (uint256[] memory ins, uint256[] memory outs) = (side.amountsIn, side.amountsOut);
        assembly ("memory-safe") {
            mstore(ins, count)
            mstore(outs, count)
        }
    }

    function _quote(IPropAmmState venue, address tokenIn, address tokenOut, uint256 amount) private returns (uint256) {
        try venue.quote(tokenIn, tokenOut, amount) returns (uint256 amountOut) {
            return amountOut;
        } catch {
            return 0;
        }
    }
}
