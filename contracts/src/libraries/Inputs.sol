// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../interfaces/IExecutor.sol";
import {IGuard} from "../interfaces/IGuard.sol";
import {Program} from "./Program.sol";
import {Transfers} from "./Transfers.sol";

/// @title Inputs
/// @notice How much a step takes, and how it is paid.
/// @dev Only while `execute` runs, whose caller is the Guard.
library Inputs {
    using Transfers for address;

    /// @notice What a step takes; `token` zero is the native token and matters only where nothing is pulled.
    /// @param amount As read from the program.
    function resolve(uint256 flags, uint256 amount, address token) internal view returns (uint256) {
        if (Program.isPulled(flags)) return amount;
        uint256 kind = Program.inputKind(flags);
        if (kind == Program.HELD) return amount;
        if (kind > Program.SHARE) revert IExecutor.InvalidStep(flags);
        uint256 held = token.heldOf(address(this));
        if (kind == Program.REST) return held;
        // unchecked: floor(held × amount / 2^24) in two halves; amount is below 2^24, so neither product can pass 2^256.
        unchecked {
            return (held >> Program.SHARE_BITS) * amount
                + ((held & ((1 << Program.SHARE_BITS) - 1)) * amount >> Program.SHARE_BITS);
        }
    }

    /// @notice Equals IGuard(guard).pullInput(to, amount), without the check that the Guard has code: one without moves nothing,
    ///   and whoever was to be paid notices.
    function pull(address guard, address to, uint256 amount) internal {
        uint256 selector = uint32(IGuard.pullInput.selector);
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(0x00, selector)
            mstore(0x20, to)
            mstore(0x40, amount)
            if iszero(call(gas(), guard, 0, 0x1c, 0x44, 0, 0)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
            mstore(0x40, free)
        }
    }

    /// @notice Pays a step's input to `to`, from the sender or from what the Executor holds.
    function pay(uint256 flags, uint256 amount, address token, address to) internal {
        if (Program.isPulled(flags)) pull(msg.sender, to, amount);
        else token.transfer(to, resolve(flags, amount, token));
    }

    /// @notice Makes the Executor hold a step's input.
    /// @return How much of it the step may use.
    function take(uint256 flags, uint256 amount, address token) internal returns (uint256) {
        amount = resolve(flags, amount, token);
        if (!Program.isPulled(flags)) return amount;
        // A taxed token arrives short: what was held before is not this step's to spend.
        uint256 before = token.balanceOf(address(this));
        pull(msg.sender, address(this), amount);
        return token.balanceOf(address(this)) - before;
    }

    /// @notice Reads and pays a step of a pool that measures its own input: amount, tokenIn, pool 20, address.
    function prepay(uint256 at, uint256 flags, uint256 end)
        internal
        returns (address tokenIn, address pool, address to, uint256 next)
    {
        uint256 amount;
        (amount, tokenIn, next) = Program.readInput(at, flags);
        (pool, next) = Program.readAddress(next);
        (to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);
        if (Program.inputKind(flags) != Program.AT_POOL) pay(flags, amount, tokenIn, pool);
    }

    /// @notice Reads a step of two tokens and takes its input: amount, tokenIn, tokenOut 20, address.
    function takePair(uint256 at, uint256 flags, uint256 end)
        internal
        returns (uint256 amount, address tokenIn, address tokenOut, address to, uint256 next)
    {
        (amount, tokenIn, next) = Program.readInput(at, flags);
        (tokenOut, next) = Program.readAddress(next);
        (to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);
        amount = take(flags, amount, tokenIn);
    }

    /// @notice A step in a pool that is told both tokens.
    struct Trade {
        uint256 amount;
        address tokenIn;
        address pool;
        address tokenOut;
        address to;
    }

    /// @notice Reads one: amount, tokenIn, pool 20, tokenOut 20, address.
    function readTrade(uint256 at, uint256 flags, uint256 end) internal view returns (Trade memory trade, uint256 next) {
        (trade.amount, trade.tokenIn, next) = Program.readInput(at, flags);
        (trade.pool, next) = Program.readAddress(next);
        (trade.tokenOut, next) = Program.readAddress(next);
        (trade.to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);
    }

    /// @notice Pays a pool that has to be told how much it was sent.
    /// @return amount What arrived, which is less than was sent of a taxed token.
    function payMeasured(uint256 flags, Trade memory trade) internal returns (uint256 amount) {
        uint256 before = trade.tokenIn.balanceOf(trade.pool);
        pay(flags, trade.amount, trade.tokenIn, trade.pool);
        amount = trade.tokenIn.balanceOf(trade.pool) - before;
    }
}
