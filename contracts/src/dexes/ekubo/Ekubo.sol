// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";

/// @title Ekubo
/// @notice Swaps through one or several pools of the core in one lock. The zero address is native token.
library Ekubo {
    /// @dev No price limit: the ends of the core's price range.
    uint256 private constant LOWEST_RATIO = 4611797791050542631;
    uint256 private constant HIGHEST_RATIO = 79227682466138141934206691491;

    uint256 private constant LOCK = 0xf83d08ba; // lock()
    uint256 private constant START_PAYMENTS = 0xf9b6a796; // startPayments()
    uint256 private constant COMPLETE_PAYMENTS = 0x12e103f1; // completePayments()
    uint256 private constant WITHDRAW = 0x3ccfd60b; // withdraw()

    uint256 private constant HOP = 52;

    /// @notice opcode, flags, amount, tokenIn, core 20, hops 1, {tokenOut 20, config 32} × hops, address.
    /// @return core Contract that calls back.
    /// @return token Input token; zero for native token.
    /// @return amount Input in base units.
    /// @return to Recipient of the output.
    /// @return hopsAt Calldata offset of the number of hops, which precedes them.
    /// @return next Calldata offset after the step.
    function read(uint256 at, uint256 flags, uint256 end)
        internal
        view
        returns (address core, address token, uint256 amount, address to, uint256 hopsAt, uint256 next)
    {
        (amount, token, next) = Program.readInput(at, flags);
        (core, next) = Program.readAddress(next);
        hopsAt = next;
        next = _hopsEnd(hopsAt);
        (to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);
        amount = Inputs.resolve(flags, amount, token);
    }

    function _hopsEnd(uint256 hopsAt) private pure returns (uint256) {
        // unchecked: a calldata offset plus a byte times a constant.
        unchecked {
            return hopsAt + 1 + Program.readByte(hopsAt) * HOP;
        }
    }

    /// @dev Calls core.lock() with data for the callback: amount 32, recipient 20, tokenIn 20, hops as in the program.
    function lock(address core, address token, uint256 amount, address to, uint256 hopsAt) internal {
        uint256 hopsEnd = _hopsEnd(hopsAt);
        assembly ("memory-safe") {
            let free := mload(0x40)
            let hops := sub(hopsEnd, hopsAt)
            mstore(free, LOCK)
            mstore(add(free, 0x20), amount)
            mstore(add(free, 0x40), shl(96, to))
            mstore(add(free, 0x54), shl(96, token))
            calldatacopy(add(free, 0x68), hopsAt, hops)
            if iszero(call(gas(), core, 0, add(free, 0x1c), add(76, hops), 0, 0)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
        }
    }

    /// @notice Answers the core's callback: a selector of zeros, the number of the lock, and the data of `lock`.
    /// @param pulled True if the Guard pays from the sender.
    /// @param pay Pays the core an ERC-20.
    function settle(bool pulled, function(bool, uint256) internal pay) internal {
        uint256 amount;
        assembly ("memory-safe") {
            amount := calldataload(36)
        }
        (address to, uint256 at) = Program.readAddress(68);
        address token;
        (token, at) = Program.readAddress(at);
        address tokenIn = token;
        uint256 hops = Program.readByte(at);
        at += 1;
        uint256 first = amount;
        uint256 owed;
        for (uint256 k; k < hops; ++k) {
            uint256 spent;
            (token, spent, amount, at) = _swap(token, amount, at);
            if (k == 0) owed = spent;
        }

        // Of the sender's own token only what is owed is drawn. The core itself refuses a later hop that consumes a part.
        // Native token counts as paid when it arrives.
        if (tokenIn == address(0)) {
            Inputs.requireWhole(msg.sender, owed, first);
            _call(0, 0, 0, 0, owed);
        } else {
            if (!pulled) Inputs.requireWhole(msg.sender, owed, first);
            _call(START_PAYMENTS, uint160(tokenIn), 0, 36, 0);
            pay(pulled, owed);
            _call(COMPLETE_PAYMENTS, uint160(tokenIn), 0, 36, 0);
        }
        // Packed: token 20, recipient 20, amount 16.
        uint256 recipient = uint160(to);
        _call(
            WITHDRAW,
            uint256(uint160(token)) << 96 | recipient >> 64,
            recipient << 192 | uint256(uint128(amount)) << 64,
            60,
            0
        );
    }

    /// @dev Calls the core and ignores its return data.
    /// @param length Bytes of calldata: the selector and what follows it.
    function _call(uint256 selector, uint256 a, uint256 b, uint256 length, uint256 value) private {
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, selector)
            mstore(add(free, 0x20), a)
            mstore(add(free, 0x40), b)
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
    function _swap(address tokenIn, uint256 amount, uint256 at)
        private
        returns (address tokenOut, uint256 spent, uint256 amountOut, uint256 next)
    {
        (tokenOut, next) = Program.readAddress(at);
        bool zeroForOne = tokenIn < tokenOut;
        // The amount has 128 bits and a sign; a negative one is an exact output, whose price limit the core refuses here. A larger
        // amount is capped to such a number.
        if (amount > type(uint128).max) amount = type(uint128).max;
        uint256 params = (zeroForOne ? LOWEST_RATIO : HIGHEST_RATIO) << 160 | amount << 32;
        int256 delta;
        // A selector of zeros, then token0, token1, config and the parameters.
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, 0)
            mstore(add(free, add(0x20, shl(5, iszero(zeroForOne)))), tokenIn)
            mstore(add(free, add(0x20, shl(5, zeroForOne))), tokenOut)
            mstore(add(free, 0x60), calldataload(next))
            mstore(add(free, 0x80), or(params, shl(31, iszero(zeroForOne))))
            next := add(next, 32)
            if iszero(call(gas(), caller(), 0, add(free, 0x1c), 0x84, 0x00, 0x20)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
            // The contract is not trusted: return data shorter than a word counts as no balance change.
            if gt(returndatasize(), 0x1f) { delta := mload(0x00) }
        }
        int128 delta0 = int128(delta >> 128);
        int128 delta1 = int128(delta);
        // unchecked: what is owed is positive, the output negative; an extension that turns either makes a huge number, which
        // nobody can pay.
        unchecked {
            spent = uint256(int256(zeroForOne ? delta0 : delta1));
            amountOut = uint256(-int256(zeroForOne ? delta1 : delta0));
        }
    }
}
