// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAmbientDex} from "../../interfaces/IAmbient.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title Ambient
/// @notice Swaps in the contract of all pools, which takes its input by allowance, or as value if it is native token, and pays its
///   caller.
/// @dev Measures the output and forwards it. Input that is not sold before the price limit makes the step revert.
library Ambient {
    using Transfers for address;

    uint16 private constant SWAP = 1;

    /// @notice opcode, flags, amount, tokenIn, dex 20, tokenOut 20, poolIdx 3, limitBits 1, address. Zero is native; the lower token
    ///   is the base, and the price limit is two to the power of limitBits.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade.amount, trade.tokenIn, next) = Program.readInput(at, flags);
        (trade.pool, next) = Program.readAddress(next);
        (trade.tokenOut, next) = Program.readAddress(next);
        uint256 poolIdx;
        (poolIdx, next) = Program.readUint24(next);
        uint256 limit = 1 << Program.readByte(next);
        // unchecked: a calldata offset.
        unchecked {
            (trade.to, next) = Program.readRecipient(next + 1, flags);
        }
        Program.finish(next, end);
        uint256 amount = Inputs.take(flags, trade.amount, trade.tokenIn);
        uint256 before = trade.tokenOut.heldOf(address(this));
        bool isBuy = trade.tokenIn < trade.tokenOut;
        bytes memory command = abi.encode(
            isBuy ? trade.tokenIn : trade.tokenOut,
            isBuy ? trade.tokenOut : trade.tokenIn,
            poolIdx,
            isBuy,
            isBuy,
            amount,
            0,
            limit,
            0,
            0
        );
        if (trade.tokenIn == address(0)) {
            uint256 nativeBefore = address(this).balance;
            IAmbientDex(trade.pool).userCmd{value: amount}(SWAP, command);
            Inputs.requireWhole(trade.pool, nativeBefore - address(this).balance, amount);
        } else {
            trade.tokenIn.approve(trade.pool, amount);
            IAmbientDex(trade.pool).userCmd(SWAP, command);
            Inputs.requireSpent(trade.tokenIn, trade.pool);
        }
        trade.tokenOut.passOn(trade.to, trade.tokenOut.heldOf(address(this)) - before);
    }
}
