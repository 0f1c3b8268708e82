// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";

/// @title Ekubo
/// @notice Swaps through one or several pools of the core in one lock. The zero address is native token. The core's callback shows
///   whether it has the interface of version 2 or 3.
library Ekubo {
    /// @dev No price limit: the ends of the core's price range.
    uint256 private constant LOWEST_RATIO = 4611797791050542631;
    uint256 private constant HIGHEST_RATIO = 79227682466138141934206691491;

    uint256 private constant LOCK = 0xf83d08ba; // lock()
    uint256 private constant START_PAYMENTS = 0xf9b6a796; // startPayments()
    uint256 private constant COMPLETE_PAYMENTS = 0x12e103f1; // completePayments()
    uint256 private constant WITHDRAW = 0x3ccfd60b; // withdraw()
    // Version 2.
    uint256 private constant PAY = 0x0c11dedd; // pay(address), with the amount behind it
    uint256 private constant WITHDRAW_2 = 0x03a65ab6; // withdraw(address,address,uint128)

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

    /// @notice Answers the core's callback: a selector, the number of the lock, and the data of `lock`. The selector has only zeros in
    ///   version 3, and is that of `locked(uint256)` in version 2, which calls back once more for its payment.
    /// @param isPayment True if this is the callback for the payment. The amount, which `settle` wrote, is behind its arguments.
    /// @param pulled True if the Guard pays from the sender.
    /// @param awaited Value of the slot that awaited the callback.
    /// @param pay Pays the core an ERC-20.
    /// @param awaitPayment Awaits the callback for the payment.
    function settle(
        bool isPayment,
        bool pulled,
        uint256 awaited,
        function(bool, uint256) internal pay,
        function(uint256) internal awaitPayment
    ) internal {
        uint256 amount;
        assembly ("memory-safe") {
            amount := calldataload(add(36, shl(5, isPayment)))
        }
        if (isPayment) return pay(pulled, amount);
        bool isV2 = msg.sig != 0;
        (address to, uint256 at) = Program.readAddress(68);
        address token;
        (token, at) = Program.readAddress(at);
        address tokenIn = token;
        uint256 hops = Program.readByte(at);
        // unchecked: a calldata offset.
        unchecked {
            at += 1;
        }
        uint256 first = amount;
        uint256 debt;
        for (uint256 k; k < hops; ++k) {
            uint256 spent;
            (token, spent, amount, at) = _swap(token, amount, at, isV2);
            if (k == 0) debt = spent;
        }

        // Of the sender's own token only what is owed is drawn. The core itself refuses a later hop that consumes a part.
        if (!pulled || tokenIn == address(0)) Inputs.requireWhole(msg.sender, debt, first);
        if (tokenIn == address(0)) {
            // Native token counts as paid when it arrives.
            _call(0, 0, 0, 0, debt);
        } else if (!isV2) {
            _call(START_PAYMENTS, uint160(tokenIn), 0, 36, 0);
            pay(pulled, debt);
            _call(COMPLETE_PAYMENTS, uint160(tokenIn), 0, 36, 0);
        } else {
            awaitPayment(awaited);
            _call(PAY, uint160(tokenIn), debt, 68, 0);
        }

        // Words in version 2. Packed in version 3: token 20, recipient 20, amount 16.
        (uint256 selector, uint256 a, uint256 b, uint256 length) = (WITHDRAW_2, uint160(token), uint160(to), 100);
        assembly ("memory-safe") {
            mstore(add(mload(0x40), 0x60), amount)
        }
        if (!isV2) {
            (selector, a, b, length) = (WITHDRAW, a << 96 | b >> 64, b << 192 | uint256(uint128(amount)) << 64, 60);
        }
        _call(selector, a, b, length, 0);
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

    /// @param isV2 True if the core has the interface of version 2.
    /// @return tokenOut Output token.
    /// @return spent Input that the pool consumed, in base units.
    /// @return amountOut Output in base units.
    /// @return next Calldata offset after the hop.
    function _swap(address tokenIn, uint256 amount, uint256 at, bool isV2)
        private
        returns (address tokenOut, uint256 spent, uint256 amountOut, uint256 next)
    {
        (tokenOut, next) = Program.readAddress(at);
        bool zeroForOne = tokenIn < tokenOut;
        // The amount has 128 bits and a sign; a negative one is an exact output, whose price limit the core refuses here. A larger
        // amount is capped to such a number.
        if (amount > type(uint128).max) amount = type(uint128).max;
        uint256 limit = zeroForOne ? LOWEST_RATIO : HIGHEST_RATIO;
        int256 delta0;
        int256 delta1;
        // A selector of zeros, then token0, token1, config and the parameters: packed in version 3, words in version 2.
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, 0)
            mstore(add(free, add(0x20, shl(5, iszero(zeroForOne)))), tokenIn)
            mstore(add(free, add(0x20, shl(5, zeroForOne))), tokenOut)
            mstore(add(free, 0x60), calldataload(next))
            next := add(next, 32)
            let params := signextend(15, amount)
            if iszero(isV2) { params := or(or(shl(160, limit), shl(32, amount)), shl(31, iszero(zeroForOne))) }
            mstore(add(free, 0x80), params)
            mstore(add(free, 0xa0), iszero(zeroForOne))
            mstore(add(free, 0xc0), limit)
            mstore(add(free, 0xe0), 0)
            if iszero(call(gas(), caller(), 0, add(free, 0x1c), add(0x84, mul(isV2, 0x60)), 0x00, 0x40)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
            // The contract is not trusted: return data shorter than a word counts as no balance change.
            if gt(returndatasize(), 0x1f) {
                delta0 := mload(0x00)
                delta1 := mload(0x20)
            }
        }
        if (!isV2) (delta0, delta1) = (delta0 >> 128, int128(delta0));
        // unchecked: what is owed is positive, the output negative; an extension that turns either makes a huge number, which
        // nobody can pay.
        unchecked {
            spent = uint256(zeroForOne ? delta0 : delta1);
            amountOut = uint256(-(zeroForOne ? delta1 : delta0));
        }
    }
}
