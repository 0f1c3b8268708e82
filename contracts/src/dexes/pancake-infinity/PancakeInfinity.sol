// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../../interfaces/IExecutor.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";

/// @title PancakeInfinity
/// @notice Swaps through one or several pools of the vault's managers in one lock. The zero address is native token.
library PancakeInfinity {
    /// @dev No price limit: one inside the bounds of TickMath.
    uint160 private constant LOWEST_PRICE = 4295128740;
    uint160 private constant HIGHEST_PRICE = 1461446703485210103287273052203988822378723970341;

    uint256 private constant LOCK = 0x81548319; // lock(bytes)
    // swap((address,address,address,address,uint24,bytes32),(bool,int256,uint160),bytes)
    uint256 private constant SWAP_CL = 0xcd0cc1ce;
    // swap((address,address,address,address,uint24,bytes32),bool,int128,bytes)
    uint256 private constant SWAP_BIN = 0x911a63b7;
    uint256 private constant SYNC = 0xa5841194; // sync(address)
    uint256 private constant SETTLE = 0x11da60b4; // settle()
    uint256 private constant TAKE = 0x0b0d9c09; // take(address,address,uint256)

    /// @dev Flag bit 6: each hop has a hooks address.
    uint256 private constant HOOKS = 64;
    uint256 private constant HOP = 49;
    uint256 private constant HOOKED_HOP = 69;
    /// @dev Where a hop says which kind its pool is: behind tokenOut and manager.
    uint256 private constant KIND_AT = 40;
    uint256 private constant BIN = 1;

    /// @notice opcode, flags, amount, tokenIn, vault 20, hops 1, {tokenOut 20, manager 20, kind 1, fee 3, parameters 5, hooks 20
    ///   where flag bit 6 is set} × hops, address.
    /// @return vault Contract that calls back.
    /// @return token Input token; zero for native token.
    /// @return amount Input in base units.
    /// @return to Recipient of the output.
    /// @return hopsAt Calldata offset of the number of hops, which precedes them.
    /// @return next Calldata offset after the step.
    function read(uint256 at, uint256 flags, uint256 end)
        internal
        view
        returns (address vault, address token, uint256 amount, address to, uint256 hopsAt, uint256 next)
    {
        (amount, token, next) = Program.readInput(at, flags);
        (vault, next) = Program.readAddress(next);
        hopsAt = next;
        next = _hopsEnd(hopsAt, flags);
        uint256 size = _hopSize(flags);
        for (uint256 kindAt = hopsAt + 1 + KIND_AT; kindAt < next; kindAt += size) {
            if (Program.readByte(kindAt) > BIN) revert IExecutor.InvalidStep(flags);
        }
        (to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);
        amount = Inputs.resolve(flags, amount, token);
        // A manager reads a positive number as an exact output.
        if (amount > uint256(type(int256).max)) revert IExecutor.InvalidStep(flags);
    }

    /// @dev Equals vault.lock(data) with data for the callback: amount 32, recipient 20, flags 1, tokenIn 20, hops as in the
    ///   program.
    function lock(address vault, address token, uint256 amount, address to, uint256 flags, uint256 hopsAt) internal {
        uint256 hopsEnd = _hopsEnd(hopsAt, flags);
        assembly ("memory-safe") {
            let free := mload(0x40)
            let hops := sub(hopsEnd, hopsAt)
            mstore(free, LOCK)
            mstore(add(free, 0x20), 0x20)
            mstore(add(free, 0x40), add(73, hops))
            mstore(add(free, 0x60), amount)
            mstore(add(free, 0x80), or(shl(96, to), shl(88, flags)))
            mstore(add(free, 0x95), shl(96, token))
            calldatacopy(add(free, 0xa9), hopsAt, hops)
            // The length goes up to whole words, as the vault's decoder may ask for.
            let length := add(0x44, and(add(73, add(hops, 31)), not(31)))
            if iszero(call(gas(), vault, 0, add(free, 0x1c), length, 0, 0)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
        }
    }

    function _hopSize(uint256 flags) private pure returns (uint256) {
        return flags & HOOKS == 0 ? HOP : HOOKED_HOP;
    }

    function _hopsEnd(uint256 hopsAt, uint256 flags) private pure returns (uint256) {
        // unchecked: a calldata offset plus a byte times a constant.
        unchecked {
            return hopsAt + 1 + Program.readByte(hopsAt) * _hopSize(flags);
        }
    }

    /// @notice Answers the vault's callback, lockAcquired(bytes data).
    /// @param pulled True if the Guard pays from the sender.
    /// @param pay Pays the vault an ERC-20.
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

        // Of the sender's own token only what is owed is drawn. The vault itself refuses a later hop that consumes a part.
        // The vault takes native token without `sync`.
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

    /// @dev Calls the vault and ignores its return data.
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
        address manager;
        (tokenOut, next) = Program.readAddress(at);
        (manager, next) = Program.readAddress(next);
        bool zeroForOne = tokenIn < tokenOut;
        uint160 limit = zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE;
        int256 delta;
        // Equals manager.swap(key, SwapParams(zeroForOne, -amount, limit), "") of a manager of ticks, and
        // manager.swap(key, zeroForOne, -amount, "") of one of bins, key being (token0, token1, hooks, manager, fee, parameters).
        assembly ("memory-safe") {
            let free := mload(0x40)
            // kind 1, fee 3, parameters 5, hooks 20
            let hop := calldataload(next)
            mstore(add(free, add(0x20, shl(5, iszero(zeroForOne)))), tokenIn)
            mstore(add(free, add(0x20, shl(5, zeroForOne))), tokenOut)
            mstore(add(free, 0x60), mul(hooked, shr(96, shl(72, hop))))
            mstore(add(free, 0x80), manager)
            mstore(add(free, 0xa0), and(shr(224, hop), 0xffffff))
            mstore(add(free, 0xc0), and(shr(184, hop), 0xffffffffff))
            mstore(add(free, 0xe0), zeroForOne)
            mstore(add(free, 0x100), sub(0, amount))
            let length
            switch byte(0, hop)
            case 0 {
                mstore(free, SWAP_CL)
                mstore(add(free, 0x120), limit)
                mstore(add(free, 0x140), 0x140)
                mstore(add(free, 0x160), 0)
                length := 0x164
            }
            default {
                mstore(free, SWAP_BIN)
                mstore(add(free, 0x120), 0x120)
                mstore(add(free, 0x140), 0)
                length := 0x144
            }
            if iszero(call(gas(), manager, 0, add(free, 0x1c), length, 0x00, 0x20)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
            // The contract is not trusted: return data shorter than a word counts as no balance change.
            if gt(returndatasize(), 0x1f) { delta := mload(0x00) }
            next := add(next, add(9, mul(hooked, 20)))
        }
        int128 delta0 = int128(delta >> 128);
        int128 delta1 = int128(delta);
        // unchecked: the input is owed and so negative, the output positive; whatever turns either makes a huge number, which
        // nobody can pay.
        unchecked {
            spent = uint256(-int256(zeroForOne ? delta0 : delta1));
            amountOut = uint256(int256(zeroForOne ? delta1 : delta0));
        }
    }
}
