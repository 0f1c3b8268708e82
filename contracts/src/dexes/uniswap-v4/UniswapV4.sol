// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../../interfaces/IExecutor.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";

/// @title UniswapV4
/// @notice Swaps through one or several pools of the singleton in one unlock. The zero address is native token.
library UniswapV4 {
    /// @dev No price limit: one inside the bounds of TickMath.
    uint160 private constant LOWEST_PRICE = 4295128740;
    uint160 private constant HIGHEST_PRICE = 1461446703485210103287273052203988822378723970341;

    uint256 private constant UNLOCK = 0x48c89491; // unlock(bytes)
    uint256 private constant SWAP = 0xf3cd914c; // swap((address,address,uint24,int24,address),(bool,int256,uint160),bytes)
    uint256 private constant SYNC = 0xa5841194; // sync(address)
    uint256 private constant SETTLE = 0x11da60b4; // settle()
    uint256 private constant TAKE = 0x0b0d9c09; // take(address,address,uint256)

    /// @dev Flag bit 6: each hop has a hooks address.
    uint256 private constant HOOKS = 64;

    /// @notice opcode, flags, amount, tokenIn, manager 20, hops 1, {tokenOut 20, fee 3, tickSpacing 3, hooks 20 where
    ///   flag bit 6 is set} × hops, address.
    /// @return manager Contract that calls back.
    /// @return token Input token; zero for native token.
    /// @return amount Input in base units.
    /// @return to Recipient of the output.
    /// @return hopsAt Calldata offset of the number of hops, which precedes them.
    /// @return next Calldata offset after the step.
    function read(uint256 at, uint256 flags, uint256 end)
        internal
        view
        returns (address manager, address token, uint256 amount, address to, uint256 hopsAt, uint256 next)
    {
        (amount, token, next) = Program.readInput(at, flags);
        (manager, next) = Program.readAddress(next);
        hopsAt = next;
        next = _hopsEnd(hopsAt, flags);
        (to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);
        amount = Inputs.resolve(flags, amount, token);
        // The manager reads a positive number as an exact output.
        if (amount > uint256(type(int256).max)) revert IExecutor.InvalidStep(flags);
    }

    /// @dev Equals manager.unlock(data) with data for the callback: amount 32, recipient 20, flags 1, tokenIn 20, hops as in
    ///   the program.
    function unlock(address manager, address token, uint256 amount, address to, uint256 flags, uint256 hopsAt) internal {
        uint256 hopsEnd = _hopsEnd(hopsAt, flags);
        assembly ("memory-safe") {
            let free := mload(0x40)
            let hops := sub(hopsEnd, hopsAt)
            mstore(free, UNLOCK)
            mstore(add(free, 0x20), 0x20)
            mstore(add(free, 0x40), add(73, hops))
            mstore(add(free, 0x60), amount)
            mstore(add(free, 0x80), or(shl(96, to), shl(88, flags)))
            mstore(add(free, 0x95), shl(96, token))
            calldatacopy(add(free, 0xa9), hopsAt, hops)
            // The length goes up to whole words, as the manager's decoder may ask for.
            let length := add(0x44, and(add(73, add(hops, 31)), not(31)))
            if iszero(call(gas(), manager, 0, add(free, 0x1c), length, 0, 0)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
        }
    }

    function _hopsEnd(uint256 hopsAt, uint256 flags) private pure returns (uint256) {
        // unchecked: a calldata offset plus a byte times a constant.
        unchecked {
            return hopsAt + 1 + Program.readByte(hopsAt) * (flags & HOOKS == 0 ? 26 : 46);
        }
    }

    /// @notice Answers the manager's callback, unlockCallback(bytes data).
    /// @param pulled True if the Guard pays from the sender.
    /// @param pay Pays the manager an ERC-20.
    function settle(bool pulled, function(bool, uint256) internal pay) internal {
        uint256 amount;
        assembly ("memory-safe") {
            amount := calldataload(68)
        }
        (address to, uint256 at) = Program.readAddress(100);
        bool hooked = Program.readByte(at) & HOOKS != 0;
        (address token, uint256 hopsAt) = Program.readAddress(at + 1);
        address tokenIn = token;
        uint256 hops = Program.readByte(hopsAt);
        at = hopsAt + 1;
        uint256 first = amount;
        uint256 owed;
        for (uint256 k; k < hops; ++k) {
            uint256 spent;
            (token, spent, amount, at) = _swap(token, amount, at, hooked);
            if (k == 0) owed = spent;
        }

        // Of the sender's own token only what is owed is drawn. The manager itself refuses a later hop that consumes a part.
        if (tokenIn == address(0)) {
            Inputs.requireWhole(msg.sender, owed, first);
            _call(SETTLE, 0, 0, 0, 4, owed);
        } else {
            if (!pulled) Inputs.requireWhole(msg.sender, owed, first);
            _call(SYNC, uint160(tokenIn), 0, 0, 36, 0);
            pay(pulled, owed);
            _call(SETTLE, 0, 0, 0, 4, 0);
        }
        _call(TAKE, uint160(token), uint160(to), amount, 100, 0);
    }

    /// @dev Calls the manager and ignores its return data.
    /// @param length Bytes of calldata: the selector and its arguments.
    function _call(uint256 selector, uint256 a, uint256 b, uint256 c, uint256 length, uint256 value) private {
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, selector)
            mstore(add(free, 0x20), a)
            mstore(add(free, 0x40), b)
            mstore(add(free, 0x60), c)
            if iszero(call(gas(), caller(), value, add(free, 0x1c), length, 0, 0)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
        }
    }

    /// @return tokenOut Output token.
    /// @return spent Input that the pool consumed, in base units.
    /// @return amountOut Output in base units.
    /// @return next Calldata offset after the hop.
    function _swap(address tokenIn, uint256 amount, uint256 at, bool hooked)
        private
        returns (address tokenOut, uint256 spent, uint256 amountOut, uint256 next)
    {
        uint256 fee;
        uint256 tickSpacing;
        address hooks;
        (tokenOut, next) = Program.readAddress(at);
        (fee, next) = Program.readUint24(next);
        (tickSpacing, next) = Program.readUint24(next);
        if (hooked) (hooks, next) = Program.readAddress(next);
        bool zeroForOne = tokenIn < tokenOut;
        uint160 limit = zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE;
        int256 delta;
        // Equals manager.swap(PoolKey(token0, token1, fee, tickSpacing, hooks), SwapParams(zeroForOne, -amount, limit), "").
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, SWAP)
            mstore(add(free, add(0x20, shl(5, iszero(zeroForOne)))), tokenIn)
            mstore(add(free, add(0x20, shl(5, zeroForOne))), tokenOut)
            mstore(add(free, 0x60), fee)
            mstore(add(free, 0x80), signextend(2, tickSpacing))
            mstore(add(free, 0xa0), hooks)
            mstore(add(free, 0xc0), zeroForOne)
            mstore(add(free, 0xe0), sub(0, amount))
            mstore(add(free, 0x100), limit)
            mstore(add(free, 0x120), 0x120)
            mstore(add(free, 0x140), 0)
            if iszero(call(gas(), caller(), 0, add(free, 0x1c), 0x144, 0x00, 0x20)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
            // The contract is not trusted: return data shorter than a word counts as no balance change.
            if gt(returndatasize(), 0x1f) { delta := mload(0x00) }
        }
        int128 delta0 = int128(delta >> 128);
        int128 delta1 = int128(delta);
        // unchecked: the input is owed and so negative, the output positive; a hook that changes a sign makes a huge number, which
        // nobody can pay.
        unchecked {
            spent = uint256(-int256(zeroForOne ? delta0 : delta1));
            amountOut = uint256(int256(zeroForOne ? delta1 : delta0));
        }
    }
}
