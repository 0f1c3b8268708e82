// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";
import {IExecutor} from "../interfaces/IExecutor.sol";
import {IGuard} from "../interfaces/IGuard.sol";
import {Program} from "./Program.sol";
import {Transfers} from "./Transfers.sol";

/// @title Inputs
/// @notice Computes the input amount of a step and pays it.
/// @dev Valid only during `execute`, where `msg.sender` is the Guard.
library Inputs {
    using Transfers for address;

    /// @notice Returns the input amount of a step, in base units.
    /// @param amount Value that `Program.readInput` returned.
    /// @param token Input token; zero is the native token. Used only if the input is not pulled.
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

    /// @notice Equals IGuard(guard).pullInput(to, amount), without the check that the Guard has code.
    /// @param amount Base units of the input.
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

    /// @notice Pays the input of a step to `to`, from the sender or from the Executor's balance.
    function pay(uint256 flags, uint256 amount, address token, address to) internal {
        if (Program.isPulled(flags)) pull(msg.sender, to, amount);
        else token.transfer(to, resolve(flags, amount, token));
    }

    /// @notice Moves the input of a step into the Executor.
    /// @return Base units that arrived: fewer than were sent if the token takes a tax.
    function take(uint256 flags, uint256 amount, address token) internal returns (uint256) {
        amount = resolve(flags, amount, token);
        if (!Program.isPulled(flags)) return amount;
        // A taxed token arrives short. The balance from before does not belong to this step.
        uint256 before = token.balanceOf(address(this));
        pull(msg.sender, address(this), amount);
        return token.balanceOf(address(this)) - before;
    }

    /// @notice Reverts unless a pool consumed the whole input of a step.
    /// @param pool Contract that was called.
    /// @param consumed Base units of the input that the pool took.
    /// @param amount Base units of the input that the Executor held for the step.
    function requireWhole(address pool, uint256 consumed, uint256 amount) internal pure {
        // unchecked: a pool that reports more than it was offered is refused too, with a senseless number.
        unchecked {
            if (consumed != amount) revert IExecutor.PartialFill(pool, amount - consumed);
        }
    }

    /// @notice Reverts unless `pool` used up its approval.
    function requireSpent(address token, address pool) internal view {
        uint256 unspent = IERC20(token).allowance(address(this), pool);
        if (unspent != 0) revert IExecutor.PartialFill(pool, unspent);
    }

    /// @notice Clears what `pool` left of its approval, and gives the same amount to the pool.
    /// @dev For exchanges that trade whole units of an asset: what is left is worth less than one unit. Sending it clears the
    ///   Executor's balance, which earns more gas than the transfer costs.
    function forfeit(address token, address pool) internal {
        uint256 unspent = IERC20(token).allowance(address(this), pool);
        if (unspent == 0) return;
        token.approve(pool, 0);
        token.transfer(pool, unspent);
    }

    /// @notice Reads a step of a pool that measures its own input, and pays the pool: amount, tokenIn, pool 20, address.
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

    /// @notice A step in a pool that takes both tokens as arguments.
    struct Trade {
        uint256 amount;
        address tokenIn;
        address pool;
        address tokenOut;
        address to;
    }

    /// @notice Reads a trade: amount, tokenIn, pool 20, tokenOut 20, address.
    function readTrade(uint256 at, uint256 flags, uint256 end) internal view returns (Trade memory trade, uint256 next) {
        (trade.amount, trade.tokenIn, next) = Program.readInput(at, flags);
        (trade.pool, next) = Program.readAddress(next);
        (trade.tokenOut, next) = Program.readAddress(next);
        (trade.to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);
    }

    /// @notice Pays a pool that takes the amount it was sent as an argument.
    /// @return amount Base units that arrived: fewer than were sent if the token takes a tax.
    function payMeasured(uint256 flags, Trade memory trade) internal returns (uint256 amount) {
        uint256 before = trade.tokenIn.balanceOf(trade.pool);
        pay(flags, trade.amount, trade.tokenIn, trade.pool);
        amount = trade.tokenIn.balanceOf(trade.pool) - before;
    }
}
