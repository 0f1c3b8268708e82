// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IGuard} from "../../src/interfaces/IGuard.sol";
import {Arena} from "../support/Arena.sol";
import {IToken} from "../support/Genuine.sol";
import {Deal, Deals} from "../support/Deals.sol";
import {Move} from "../support/Hostile.sol";
import {Programs} from "../support/Programs.sol";
import {RebasingToken, TaxedToken, Token} from "../support/Tokens.sol";
import {Spender} from "../support/Vaults.sol";

/// @notice Invariants 3, 5, 8, and 12: the recipient's output, the remainder, the fee, and rejected orders.
contract OutputInvariants is Arena {
    function testFuzz_I03_the_recipient_gains_minOutput_or_nothing_moves(
        uint8 kind,
        uint96 output,
        uint96 minOutput,
        uint24 feePpm,
        bool direct,
        bool other
    ) public {
        vm.assume(minOutput != 0);
        address out = tokenOfKind(kind);
        Deal memory order = orderOf(1e18, minOutput);
        order.tokenOut = out;
        order.direct = direct;
        if (other) order.recipient = payee;
        if (!direct) (order.feePpm, order.feeRecipient) = (bound(feePpm, 0, 100_000), partner);
        uint256 before = IToken(out).balanceOf(order.recipient);
        bool ok = trySwap(
            order, programOf(pullMove(partner, 1e18, true), mintMove(out, direct ? order.recipient : address(guard), output))
        );
        if (ok) {
            assertGe(IToken(out).balanceOf(order.recipient) - before, minOutput);
            if (other) assertEq(IToken(out).balanceOf(user), 0);
        } else {
            assertEq(IToken(out).balanceOf(order.recipient), before);
            assertEq(tokenIn.balanceOf(user), WEALTH);
        }
        // An ordinary token that arrived in full is never rejected.
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
        Deal memory order = orderOf(1e18, 1);
        order.tokenOut = address(out);
        // Custody: the sender's balance from before changes with the rebase and does not count.
        uint256 got = swap(
            order,
            programOf(
                Move(address(out), 0, abi.encodeCall(RebasingToken.rebase, (factor)), true),
                mintMove(address(out), address(guard), output)
            )
        );
        assertLe(got, uint256(output) + 1);
        assertApproxEqAbs(got, output, 2 + factor / 1e18 * 2);
    }

    function testFuzz_I03_what_a_tax_takes_on_the_way_to_the_sender_is_missing(uint96 output, bool native) public {
        output = uint96(bound(output, 1e6, 1e27));
        TaxedToken taxed = new TaxedToken(50_000);
        Deal memory order = orderOf(1e18, output);
        order.tokenOut = address(taxed);
        if (native) (order.tokenIn, order.value) = (address(weth), 1e18);
        uint256 received = output - uint256(output) * 50_000 / 1e6;
        vm.expectRevert(abi.encodeWithSelector(IGuard.OutputTooLow.selector, received, output));
        swap(order, programOf(mintMove(address(taxed), address(guard), output)));
    }

    function testFuzz_I03_native_output_counts_what_is_sent(uint96 output, uint96 minOutput, bool other) public {
        vm.assume(minOutput != 0);
        Deal memory order = orderOf(1e18, minOutput);
        order.tokenOut = address(0);
        if (other) order.recipient = payee;
        vm.deal(address(puppet), output);
        bool ok = trySwap(order, programOf(Move(address(guard), output, "", true)));
        assertEq(ok, output >= minOutput);
        assertEq(user.balance, WEALTH + (ok && !other ? output : 0));
        assertEq(payee.balance, ok && other ? output : 0);
    }

    function testFuzz_I03_what_the_sender_gains_is_not_the_recipients_output(uint96 output, bool direct) public {
        output = uint96(bound(output, 1, type(uint96).max));
        Deal memory order = orderOf(1e18, 1);
        (order.recipient, order.direct) = (payee, direct);
        vm.expectRevert(abi.encodeWithSelector(IGuard.OutputTooLow.selector, 0, 1));
        swap(order, programOf(mintMove(address(tokenOut), user, output)));
    }

    function testFuzz_I03_unused_native_input_goes_to_the_sender(uint96 amountIn, uint96 used, bool wrapped, bool direct)
        public
    {
        amountIn = uint96(bound(amountIn, 1, 1e27));
        used = uint96(bound(used, 0, amountIn));
        Deal memory order = orderOf(wrapped ? address(weth) : address(0), amountIn, address(tokenOut), 1, address(puppet));
        (order.value, order.recipient, order.direct) = (amountIn, payee, direct);
        Move memory minted = mintMove(address(tokenOut), direct ? payee : address(guard), 5);
        // With the wrapper the rest is never drawn; the Executor returns native token.
        Move memory move = wrapped ? pullMove(partner, used, true) : Move(address(guard), amountIn - used, "", true);
        assertEq(swap(order, programOf(move, minted)), 5);
        assertEq(user.balance, WEALTH - used);
        assertEq(payee.balance, 0);
        assertEq(tokenOut.balanceOf(payee), 5);
    }

    function testFuzz_I05_the_executor_ends_empty(uint96 amountIn, uint96 dust, uint24 share, uint128 part) public {
        amountIn = uint96(bound(amountIn, 1e9, 1e24));
        // Within the liquidity of the pools: a pool without enough liquidity leaves the rest unsold.
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
        Deal memory order = orderOf(amountIn, 1);
        order.executor = address(executor);
        // A share of a tiny amount may be too small for a pair to return output: then nothing is transferred.
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
        vm.prank(address(guard));
        (bool ok,) =
            address(executor).call(Programs.execution(Programs.task(address(this)), program));
        // Only the vault of balancer-v2 may leave a part of these: tokens of its pools give it an unlimited allowance.
        assertEq(ok, family == 2 ? part <= amount : part == amount);
        assertEq(tokenIn.allowance(address(executor), spender), 0);
        assertEq(tokenIn.balanceOf(spender), ok ? part : 0);
    }

    function testFuzz_I08_the_fee_is_exact_and_goes_to_the_recipient_alone(uint128 output, uint24 feePpm, bool native)
        public
    {
        output = uint128(bound(output, 10, type(uint128).max));
        feePpm = uint24(bound(feePpm, 0, 100_000));
        Deal memory order = orderOf(1e18, 1);
        (order.feePpm, order.feeRecipient) = (feePpm, partner);
        Move memory delivery = mintMove(address(tokenOut), address(guard), output);
        if (native) {
            order.tokenOut = address(0);
            vm.deal(address(puppet), output);
            delivery = Move(address(guard), output, "", true);
        }
        uint256 got = swap(order, programOf(delivery));
        uint256 fee = native ? partner.balance : tokenOut.balanceOf(partner);
        assertEq(fee, uint256(output) * feePpm / 1e6);
        assertEq(fee + got, output);
    }

    function testFuzz_I08_a_fee_above_a_tenth_is_refused(uint256 feePpm) public {
        Deal memory order = orderOf(1, 1);
        feePpm = bound(feePpm, 100_001, type(uint256).max);
        (order.feePpm, order.feeRecipient) = (feePpm, partner);
        vm.expectRevert(abi.encodeWithSelector(IGuard.FeeTooHigh.selector, feePpm, 100_000));
        swap(order, "");
    }

    /// @dev All kinds of invalid orders in every case, because few cases reach each of them.
    function testFuzz_I12_senseless_orders_are_refused(uint96 amount, address stranger) public {
        // The user is the Executor, so the user is rejected as the recipient.
        vm.assume(stranger.code.length == 0 && stranger != user);
        amount = uint96(bound(amount, 1, 1e27));
        for (uint256 which; which < 26; ++which) {
            (Deal memory order, bytes memory expected) = senseless(which, amount, stranger);
            if (expected.length == 0) {
                expected = abi.encodeWithSelector(IGuard.InvalidExecutor.selector, order.executor);
            }
            vm.expectRevert(expected);
            swap(order, "");
            if (order.value != 0) continue;
            // Also by the functions with a permit, for any permit.
            order.permit = abi.encode(IGuard.Permit(IGuard.PermitKind(which % 3), amount, 0, 0, "unsigned"));
            vm.expectRevert(expected);
            swap(order, "");
        }
    }

    /// @return order An invalid order.
    /// @return expected Error that names the fault; empty if the Executor is rejected.
    function senseless(uint256 which, uint96 amount, address stranger)
        internal
        view
        returns (Deal memory order, bytes memory expected)
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
            (order.tokenIn, order.value, order.executor) = (address(weth), amount, address(weth));
        } else if (which == 10) {
            order.wrapper = address(weth);
            expected = abi.encodeWithSelector(IGuard.InvalidWrapper.selector, address(weth));
        } else if (which == 11) {
            (order.tokenIn, order.value, order.tokenOut) = (address(weth), amount, address(weth));
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
        } else if (which == 16) {
            (order.tokenIn, order.value, order.tokenOut) = (address(0), amount, address(0));
            expected = abi.encodeWithSelector(IGuard.SameToken.selector, address(0));
        } else if (which == 17) {
            // Native token is native input, also with a wrapper.
            (order.tokenIn, order.value, order.tokenOut) = (address(weth), amount, address(0));
            expected = abi.encodeWithSelector(IGuard.SameToken.selector, address(0));
        } else if (which == 18) {
            (order.tokenOut, order.wrapper, order.executor) = (address(0), address(weth), address(weth));
        } else if (which == 19) {
            order.tokenIn = address(0);
            expected = abi.encodeWithSelector(IGuard.InvalidValue.selector, 0, amount);
        } else {
            order.direct = amount % 2 == 1;
            order.recipient = [address(0), address(guard), order.executor, order.tokenIn, order.tokenOut, address(weth)][which - 20];
            if (which == 25) (order.tokenOut, order.wrapper, order.direct) = (address(0), address(weth), false);
            expected = abi.encodeWithSelector(IGuard.InvalidRecipient.selector, order.recipient);
        }
    }

    function testFuzz_I12_value_must_be_what_the_order_says(uint96 amount, uint96 sent, bool wrapped, bool direct) public {
        amount = uint96(bound(amount, 1, 1e27));
        vm.assume(sent != amount && sent <= 1e29);
        Deal memory order = orderOf(wrapped ? address(weth) : address(0), amount, address(tokenOut), 1, address(puppet));
        // The order has an input token, so native input is rejected.
        if (wrapped && sent == 0) sent = amount + 1;
        // With a fee, the function has the amount as a parameter also without native input.
        (order.value, order.direct, order.feePpm, order.feeRecipient) = (sent, direct, 1, partner);
        vm.expectRevert(abi.encodeWithSelector(IGuard.InvalidValue.selector, uint256(sent), uint256(amount)));
        swap(order, "");
    }

    function testFuzz_I12_no_value_comes_with_a_token(uint96 amount, uint96 sent) public {
        sent = uint96(bound(sent, 1, 1e27));
        bytes memory program = programOf(mintMove(address(tokenOut), address(guard), 1));
        bytes memory data = Deals.encode(orderOf(uint256(amount) + 1, 1), program);
        vm.prank(user);
        (bool ok,) = address(guard).call{value: sent}(data);
        assertFalse(ok);
    }

    function testFuzz_I12_native_sent_outside_of_a_swap_is_refused(address from, uint96 amount) public {
        vm.deal(from, amount);
        vm.prank(from);
        (bool ok, bytes memory answer) = address(guard).call{value: amount}("");
        assertFalse(ok);
        assertEq(answer, abi.encodeWithSelector(IGuard.UnexpectedNative.selector, from));
    }

    function testFuzz_I12_a_word_wider_than_its_type_is_refused(uint8 which, uint8 entry, uint256 dirt, bool delivered)
        public
    {
        // Each of the six functions, chosen by its special property.
        entry = entry % 6;
        Deal memory order = orderOf(entry == 1 ? address(0) : address(tokenIn), 1, address(tokenOut), 1, address(puppet));
        order.feePpm = entry == 2 ? 1 : 0;
        order.feeRecipient = partner;
        order.direct = entry == 3 || entry == 5;
        if (entry > 3) order.permit = abi.encode(IGuard.Permit(IGuard.PermitKind.Eip2612, 0, 0, 0, ""));
        // tokenIn, tokenOut, executor; then recipient, feeRecipient, and wrapper, after an amount and the offset of the permit.
        // In direct mode the recipient is first.
        uint8[6] memory fields = [0, 1, 4, 5, 7, 8];
        if (order.direct) fields = [1, 2, 5, 0, 0, 0];
        uint256 at = which % (entry < 2 ? 3 : order.direct ? 4 : 6);
        uint256 field = fields[at] + (entry == 1 ? 0 : 1) + (entry == 4 && at > 2 ? 1 : 0);
        dirt = bound(dirt, 1, type(uint256).max >> 160) << 160;
        bytes memory program = programOf(mintMove(address(tokenOut), order.direct ? user : address(guard), 1));
        bytes memory data = Deals.encode(order, delivered ? program : bytes(""));
        assembly ("memory-safe") {
            let word := add(add(data, 0x24), mul(0x20, field))
            mstore(word, or(mload(word), dirt))
        }
        vm.prank(user);
        (bool ok, bytes memory answer) = address(guard).call{value: order.value}(data);
        assertFalse(ok);
        assertEq(answer.length, 0);
    }
}
