// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20Metadata} from "../interfaces/IERC20Metadata.sol";
import {IPropAmmState} from "../interfaces/IPropAmm.sol";

/// @title PropAmmLens
/// @notice Samples the quotes of a proprietary AMM venue; never deployed.
contract PropAmmLens {
    /// @dev Number of amounts to quote: the first is 1/1,024 of a whole token, and each one is twice the previous one.
    uint256 private constant MAX_SAMPLES = 38;
    /// @dev Divisor of a whole token: the first amount.
    uint256 private constant SMALLEST = 1024;

    /// @dev Index: the token that is sold. Empty if the venue does not trade it now.
    struct Side {
        uint256[] amountsIn;
        uint256[] amountsOut;
    }

    /// @notice Returns quotes of both directions.
    function sample(IPropAmmState venue, address[2] calldata tokens) external returns (Side[2] memory sides) {
        for (uint256 i; i < 2; ++i) sides[i] = _side(venue, tokens[i], tokens[1 - i]);
    }

    /// @dev Quotes one direction. Stops when the venue rejects the next amount, or pays no more for it.
    function _side(IPropAmmState venue, address tokenIn, address tokenOut) private returns (Side memory side) {
        (side.amountsIn, side.amountsOut) = (new uint256[](MAX_SAMPLES), new uint256[](MAX_SAMPLES));
        uint256 count;
        if (venue.isActive(tokenIn, tokenOut)) {
            uint256 amount = 10 ** IERC20Metadata(tokenIn).decimals() / SMALLEST;
            if (amount == 0) amount = 1;
            for (uint256 k; k < MAX_SAMPLES; ++k) {
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

    /// @dev Returns a quote; zero if the venue reverts.
    function _quote(IPropAmmState venue, address tokenIn, address tokenOut, uint256 amount) private returns (uint256) {
        try venue.quote(tokenIn, tokenOut, amount) returns (uint256 amountOut) {
            return amountOut;
        } catch {
            return 0;
        }
    }
}
