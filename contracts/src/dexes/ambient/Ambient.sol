// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAmbientDex} from "../../interfaces/IAmbient.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title Ambient
/// @notice One contract for all pools, which takes its input by allowance, or with the call where it is native, and pays its caller.
/// @dev The output is measured, and passed on. Input that is not sold before the price limit is left here.
library Ambient {
    using Transfers for address;

    uint16 private constant SWAP = 1;

    /// @notice opcode, flags, amount, tokenIn, dex 20, tokenOut 20, poolIdx 3, limitBits 1, address. Zero is native; the lower token
    ///   is the base, and the price limit is two to the power of limitBits.
    /// @return next End of the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        Inputs.Trade memory trade;
        (trade.amount, trade.tokenIn, next) = Program.readInput(at, flags);
        (trade.pool, next) = Program.readAddress(next);
        (trade.tokenOut, next) = Program.readAddress(next);
        uint256 poolIdx;
        (poolIdx, next) = Program.readUint24(next);
        uint256 limit = 1 << Program.readByte(next);
        // unchecked: an offset into calldata.
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
            IAmbientDex(trade.pool).userCmd{value: amount}(SWAP, command);
        } else {
            trade.tokenIn.approve(trade.pool, amount);
            IAmbientDex(trade.pool).userCmd(SWAP, command);
            trade.tokenIn.clearApproval(trade.pool);
        }
        trade.tokenOut.passOn(trade.to, trade.tokenOut.heldOf(address(this)) - before);
    }
}
