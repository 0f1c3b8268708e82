// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IExecutor} from "../../src/interfaces/IExecutor.sol";
import {IGuard} from "../../src/interfaces/IGuard.sol";
import {Arena} from "../support/Arena.sol";
import {IToken} from "../support/Genuine.sol";
import {Move} from "../support/Hostile.sol";
import {Programs} from "../support/Programs.sol";
import {RebasingToken, Token} from "../support/Tokens.sol";
import {Spender} from "../support/Vaults.sol";

/// @notice Invariants 3, 5, 8 and 12: what the sender gets, what is left over, the fee, and the orders that are refused.
contract OutputInvariants is Arena {
    function testFuzz_I03_the_sender_gains_minOutput_or_nothing_moves(
        uint8 kind,
        uint96 output,
        uint96 minOutput,
        uint24 feePpm,
        bool direct
    ) public {
        vm.assume(minOutput != 0);
        address out = tokenOfKind(kind);
        IGuard.Order memory order = orderOf(1e18, minOutput);
        order.tokenOut = out;
        order.direct = direct;
        if (!direct) (order.feePpm, order.feeRecipient) = (bound(feePpm, 0, 100_000), partner);
        uint256 before = IToken(out).balanceOf(user);
        bool ok = trySwap(
            order, two(pulling(partner, 1e18, true), minting(out, direct ? user : address(guard), output))
        );
        if (ok) {
            assertGe(IToken(out).balanceOf(user) - before, minOutput);
        } else {
            assertEq(IToken(out).balanceOf(user), before);
            assertEq(tokenIn.balanceOf(user), WEALTH);
        }
        // An ordinary token that came in full is never refused.
        if (kind % KINDS == KINDS - 1 && (direct || output - uint256(output) * order.feePpm / 1e6 >= minOutput)) {
            if (output >= minOutput) assertTrue(ok);
        }
        assertIdle();
    }

    function testFuzz_I03_a_rebase_within_the_swap_is_not_output(uint96 wealth, uint96 output, uint64 factor) public {
        RebasingToken out = new RebasingToken();
        factor = uint64(bound(factor, 0.1e18, 10e18));
        output = uint96(bound(output, 1e6, 1e27));
        out.mint(user, wealth);
        IGuard.Order memory order = orderOf(1e18, 1);
        order.tokenOut = address(out);
        // Custody: what the sender held before grows or shrinks with the rebase and counts for nothing.
        uint256 got = swap(
            order,
            two(
                Move(address(out), 0, abi.encodeCall(RebasingToken.rebase, (factor)), true),
                minting(address(out), address(guard), output)
            )
        );
        assertLe(got, uint256(output) + 1);
        assertApproxEqAbs(got, output, 2 + factor / 1e18 * 2);
    }

    function testFuzz_I03_native_output_counts_what_is_sent(uint96 output, uint96 minOutput) public {
        vm.assume(minOutput != 0);
        IGuard.Order memory order = orderOf(1e18, minOutput);
        order.tokenOut = address(0);
        vm.deal(address(puppet), output);
        bool ok = trySwap(order, one(Move(address(guard), output, "", true)));
        assertEq(ok, output >= minOutput);
        assertEq(user.balance, WEALTH + (ok ? output : 0));
    }

    function testFuzz_I05_the_executor_ends_empty(uint96 amountIn, uint96 dust, uint24 share, uint128 part) public {
        amountIn = uint96(bound(amountIn, 1e9, 1e24));
        // Within what the pools can take: one that runs out of liquidity leaves the rest unsold.
        dust = uint96(bound(dust, 0, 1e24));
        share = uint24(bound(share, 1, (1 << 24) - 1));
        address middle = address(new Token());
        address first = v2Pair(address(tokenIn), middle, 1e27);
        address firstV3 = v3Pool(address(tokenIn), middle, 3000, 1e27);
        address second = v2Pair(middle, address(tokenOut), 1e27);
        address secondV3 = v3Pool(middle, address(tokenOut), 3000, 1e27);
        Token(middle).mint(address(executor), dust);
        part = uint128(bound(part, 1e6, amountIn - 1e6));

        bytes memory program = bytes.concat(
            Programs.v2(
                Programs.PULL | zeroForOne(first, address(tokenIn)), Programs.pull(part), address(tokenIn), first, 3000
            ),
            Programs.v3Pulled(Programs.PULL_ALL | zeroForOne(firstV3, address(tokenIn)), "", firstV3),
            Programs.v2(
                Programs.SHARE | Programs.TO_GUARD | zeroForOne(second, middle), Programs.share(share), middle, second, 3000
            ),
            Programs.v3(Programs.REST | Programs.TO_GUARD | zeroForOne(secondV3, middle), "", middle, secondV3)
        );
        IGuard.Order memory order = orderOf(amountIn, 1);
        order.executor = address(executor);
        // A share of dust may be too small for a pair to answer: then nothing moves.
        if (!trySwap(order, program)) return;
        assertEq(Token(middle).balanceOf(address(executor)), 0);
        assertEq(tokenIn.balanceOf(address(executor)), 0);
        assertEq(tokenOut.balanceOf(address(executor)), 0);
        assertEq(tokenIn.balanceOf(user), WEALTH - amountIn);
        address[4] memory pools = [first, firstV3, second, secondV3];
        for (uint256 k; k < 4; ++k) {
            assertEq(Token(middle).allowance(address(executor), pools[k]), 0);
            assertEq(tokenIn.allowance(address(executor), pools[k]), 0);
        }
    }

    function testFuzz_I05_no_approval_outlives_a_step(uint96 amount, uint96 part, uint8 family) public {
        amount = uint96(bound(amount, 1, 1e27));
        part = uint96(bound(part, 0, uint256(amount) + 1));
        address spender = address(new Spender(IToken(address(tokenIn)), IToken(address(tokenOut)), part));
        tokenIn.mint(address(executor), 1e28);
        bytes1 flags = Programs.HELD | Programs.TO_GUARD | bytes1(0x20);
        bytes memory head = abi.encodePacked(flags, uint128(amount), address(tokenIn));
        bytes memory program;
        family = family % 5;
        if (family < 2) {
            // curve by int128 and by uint256.
            program = abi.encodePacked(bytes1(0x07), head, family, uint8(0), uint8(1), address(tokenOut), spender);
        } else if (family == 2) {
            program = abi.encodePacked(bytes1(0x08), head, spender, uint8(1), bytes32(0), address(tokenOut));
        } else {
            program = abi.encodePacked(family == 3 ? bytes1(0x0b) : bytes1(0x0c), head, spender);
        }
        (bool ok,) =
            address(executor).call(abi.encodeCall(IExecutor.execute, (Programs.task(address(this)), program)));
        assertEq(ok, part <= amount);
        assertEq(tokenIn.allowance(address(executor), spender), 0);
        assertEq(tokenIn.balanceOf(spender), ok ? part : 0);
    }

    function testFuzz_I08_the_fee_is_exact_and_goes_to_the_recipient_alone(uint128 output, uint24 feePpm, bool native)
        public
    {
        output = uint128(bound(output, 10, type(uint128).max));
        feePpm = uint24(bound(feePpm, 0, 100_000));
        IGuard.Order memory order = orderOf(1e18, 1);
        (order.feePpm, order.feeRecipient) = (feePpm, partner);
        Move memory delivery = minting(address(tokenOut), address(guard), output);
        if (native) {
            order.tokenOut = address(0);
            vm.deal(address(puppet), output);
            delivery = Move(address(guard), output, "", true);
        }
        uint256 got = swap(order, one(delivery));
        uint256 fee = native ? partner.balance : tokenOut.balanceOf(partner);
        assertEq(fee, uint256(output) * feePpm / 1e6);
        assertEq(fee + got, output);
    }

    function testFuzz_I08_a_fee_above_a_tenth_is_refused(uint256 feePpm, bool direct) public {
        IGuard.Order memory order = orderOf(1, 1);
        feePpm = bound(feePpm, direct ? 1 : 100_001, type(uint256).max);
        (order.feePpm, order.feeRecipient, order.direct) = (feePpm, partner, direct);
        vm.expectRevert(abi.encodeWithSelector(IGuard.FeeTooHigh.selector, feePpm, direct ? 0 : 100_000));
        swap(order, "");
    }

    /// @dev Every kind of nonsense in every case: few cases reach each of them, too.
    function testFuzz_I12_senseless_orders_are_refused(uint96 amount, address stranger) public {
        vm.assume(stranger.code.length == 0);
        amount = uint96(bound(amount, 1, 1e27));
        for (uint256 which; which < 17; ++which) {
            (IGuard.Order memory order, bytes memory expected) = senseless(which, amount, stranger);
            if (expected.length == 0) {
                expected = abi.encodeWithSelector(IGuard.InvalidExecutor.selector, order.executor);
            }
            vm.expectRevert(expected);
            swap(order, "");
        }
    }

    /// @return order What no sender can mean.
    /// @return expected What is said of it; nothing where the Executor is the one that is refused.
    function senseless(uint256 which, uint96 amount, address stranger)
        internal
        view
        returns (IGuard.Order memory order, bytes memory expected)
    {
        order = orderOf(amount, amount);
        if (which == 0) {
            order.tokenOut = order.tokenIn;
            expected = abi.encodeWithSelector(IGuard.SameToken.selector, order.tokenIn);
        } else if (which == 1) {
            order.amountIn = 0;
            expected = abi.encodeWithSelector(IGuard.ZeroAmount.selector);
        } else if (which == 2) {
            order.minOutput = 0;
            expected = abi.encodeWithSelector(IGuard.ZeroAmount.selector);
        } else if (which == 3) {
            order.deadline = block.timestamp - 1;
            expected = abi.encodeWithSelector(IGuard.Expired.selector, block.timestamp - 1, block.timestamp);
        } else if (which == 4) {
            order.executor = address(guard);
        } else if (which == 5) {
            order.executor = order.tokenIn;
        } else if (which == 6) {
            order.executor = order.tokenOut;
        } else if (which == 7) {
            // Precompiles have no code.
            order.executor = address(uint160(bound(amount, 1, 17)));
        } else if (which == 8) {
            order.executor = stranger;
        } else if (which == 9) {
            (order.tokenIn, order.wrapper, order.executor) = (address(0), address(weth), address(weth));
        } else if (which == 10) {
            order.wrapper = address(weth);
            expected = abi.encodeWithSelector(IGuard.InvalidWrapper.selector, address(weth));
        } else if (which == 11) {
            (order.tokenIn, order.wrapper, order.tokenOut) = (address(0), address(weth), address(weth));
            expected = abi.encodeWithSelector(IGuard.SameToken.selector, address(weth));
        } else if (which == 12) {
            (order.feePpm, order.feeRecipient) = (1, address(0));
            expected = abi.encodeWithSelector(IGuard.InvalidFeeRecipient.selector, address(0));
        } else if (which == 13) {
            (order.feePpm, order.feeRecipient) = (1, address(guard));
            expected = abi.encodeWithSelector(IGuard.InvalidFeeRecipient.selector, address(guard));
        } else if (which == 14) {
            (order.tokenOut, order.direct) = (address(0), true);
            expected = abi.encodeWithSelector(IGuard.DirectNative.selector);
        } else if (which == 15) {
            (order.tokenOut, order.wrapper) = (address(0), order.tokenIn);
            expected = abi.encodeWithSelector(IGuard.SameToken.selector, order.tokenIn);
        } else {
            (order.tokenIn, order.tokenOut) = (address(0), address(0));
            expected = abi.encodeWithSelector(IGuard.SameToken.selector, address(0));
        }
    }

    function testFuzz_I12_value_must_be_what_the_order_says(uint96 amount, uint96 sent, bool native) public {
        amount = uint96(bound(amount, 1, 1e27));
        uint256 needed = native ? amount : 0;
        vm.assume(sent != needed && sent <= 1e29);
        IGuard.Order memory order = orderOf(amount, 1);
        if (native) order.tokenIn = address(0);
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(IGuard.InvalidValue.selector, uint256(sent), needed));
        guard.swap{value: sent}(order, "");
    }

    function testFuzz_I12_native_sent_outside_of_a_swap_is_refused(address from, uint96 amount) public {
        vm.deal(from, amount);
        vm.prank(from);
        (bool ok, bytes memory answer) = address(guard).call{value: amount}("");
        assertFalse(ok);
        assertEq(answer, abi.encodeWithSelector(IGuard.UnexpectedNative.selector, from));
    }

    function testFuzz_I12_a_word_wider_than_its_type_is_refused(uint8 which, uint256 dirt, bool delivered) public {
        // tokenIn, tokenOut, executor, wrapper, feeRecipient, direct.
        uint8[6] memory fields = [0, 2, 5, 6, 8, 9];
        which = uint8(bound(which, 0, 5));
        uint256 bits = which == 5 ? 1 : 160;
        dirt = bound(dirt, 1, type(uint256).max >> bits) << bits;
        bytes memory program = one(minting(address(tokenOut), address(guard), 1));
        bytes memory data = abi.encodeCall(IGuard.swap, (orderOf(1, 1), delivered ? program : bytes("")));
        uint256 at = 0x24 + 0x20 * uint256(fields[which]);
        assembly ("memory-safe") {
            let field := add(data, at)
            mstore(field, or(mload(field), dirt))
        }
        vm.prank(user);
        (bool ok, bytes memory answer) = address(guard).call(data);
        assertFalse(ok);
        assertEq(answer.length, 0);
    }
}
