// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IIziswapPool} from "../../interfaces/IIziswap.sol";
import {IExecutor} from "../../interfaces/IExecutor.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title Iziswap
/// @notice Swaps in pools that are paid in a callback (uint256 amountX, uint256 amountY, bytes) with one of two names.
library Iziswap {
    using Transfers for address;

    /// @dev No price limit: beyond the points of every pool.
    int24 private constant FARTHEST = 800_001;
    /// @dev A remainder of at most this part of the input, as a negative power of two, is rounding.
    uint256 private constant ROUNDING_BITS = 20;
    /// @dev swapY2XCallback(uint256,uint256,bytes)
    uint256 private constant PAY_Y = 0xd3e1c284;

    /// @notice opcode, flags (bit 5: the first token is sold), amount, tokenIn, pool 20, address.
    /// @dev `token` is the input token.
    function read(uint256 at, uint256 flags, uint256 end)
        internal
        view
        returns (address pool, address token, uint256 amount, address to, uint256 next)
    {
        (amount, token, next) = Program.readInput(at, flags);
        (pool, next) = Program.readAddress(next);
        (to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);
        amount = Inputs.resolve(flags, amount, token);
        if (amount > type(uint128).max) revert IExecutor.InvalidStep(flags);
    }

    /// @return consumed Base units of the input that the pool reports to have taken.
    function swap(address pool, address to, bool sellX, uint256 amount) internal returns (uint256 consumed) {
        if (sellX) (consumed,) = IIziswapPool(pool).swapX2Y(to, uint128(amount), -FARTHEST, "");
        else (, consumed) = IIziswapPool(pool).swapY2X(to, uint128(amount), FARTHEST, "");
    }

    /// @notice Sends to the pool what it left of an input for rounding. Reverts if that is more than 2^-20 of the input.
    /// @dev The last part of a swap buys whole units of liquidity, so about one input in sixteen is not consumed to the unit.
    /// @param consumed Base units of the input that the pool took.
    /// @param amount Base units of the input that the Executor held for the step.
    function finish(address pool, address token, uint256 consumed, uint256 amount) internal {
        // unchecked: a pool that reports more than it was offered is refused too.
        unchecked {
            uint256 unsold = amount - consumed;
            if (unsold > amount >> ROUNDING_BITS) revert IExecutor.PartialFill(pool, unsold);
            token.transfer(pool, unsold);
        }
    }

    /// @notice Returns the amount that the calling pool is owed, in base units, by the name of its callback.
    function owed() internal pure returns (uint256 amount) {
        assembly ("memory-safe") {
            amount := calldataload(add(4, shl(5, eq(shr(224, calldataload(0)), PAY_Y))))
        }
    }
}
