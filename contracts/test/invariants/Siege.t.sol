// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IToken} from "../support/Genuine.sol";
import {Siege} from "../support/Siege.sol";

/// @notice Invariants 1 to 4, 6, 7, and 8 for every function and kind of token, with only hostile participants.
contract SiegeInvariants is Siege {
    function testFuzz_I01_a_bystander_keeps_what_he_has(Plan memory plan) public {
        runSiege(plan);
        Holdings memory left = held(victim);
        assertGe(left.input, WEALTH);
        assertGe(left.output, rebased(plan, WEALTH));
        assertEq(left.native, WEALTH);
    }

    function testFuzz_I02_the_sender_loses_the_input_at_most_by_any_entry(Plan memory plan) public {
        runSiege(plan);
        Holdings memory left = held(user);
        bool native = order.value != 0;
        assertGe(left.input, native ? WEALTH : WEALTH - plan.amountIn);
        assertGe(left.native, native ? WEALTH - plan.amountIn : WEALTH);
        // In direct mode the output must also cover a downward rebase.
        assertGe(left.output, rebased(plan, WEALTH));
    }

    function testFuzz_I03_the_recipient_gains_minOutput_by_any_entry(Plan memory plan) public {
        bool ok = runSiege(plan);
        Holdings memory left = held(order.recipient);
        if (!ok) {
            assertEq(held(user).input, WEALTH);
            assertEq(held(user).output, WEALTH);
            assertEq(held(user).native, WEALTH);
            assertEq(left.output, WEALTH);
            assertEq(left.native, WEALTH);
        } else if (order.tokenOut == address(0)) {
            assertGe(left.native, WEALTH + plan.minOutput);
        } else {
            // Direct mode counts all growth, including a rebase.
            assertGe(left.output, (order.direct ? WEALTH : rebased(plan, WEALTH)) + plan.minOutput);
        }
    }

    function testFuzz_I04_the_guard_neither_gives_nor_keeps_by_any_entry(Plan memory plan) public {
        bool ok = runSiege(plan);
        Holdings memory left = held(address(guard));
        assertGe(left.input, 1e20);
        // Stray balances change with a rebase, and their growth during a swap counts as output.
        uint256 strays = rebased(plan, 1e20);
        assertGe(left.output, strays < 1e20 ? strays : 1e20);
        assertGe(left.native, 1e20);
        assertGe(left.wrapped, 1e20);
        if (!ok || order.direct) return;
        // In custody, the whole output leaves the Guard, and so does native token if it is input or output.
        if (order.tokenOut == address(0)) assertEq(left.native, 1e20);
        // A share is worth less than two units here: up to one unit stays of each of two payments, and balances are rounded down.
        else assertLe(left.output, 1e20 + (plan.kindOut == REBASING ? 4 : 0));
        if (order.value != 0) assertEq(left.native, 1e20);
    }

    function testFuzz_I06_nothing_stays_lent_by_any_entry(Plan memory plan) public {
        runSiege(plan);
        assertIdle();
    }

    function testFuzz_I07_nobody_gets_in_by_any_entry(Plan memory plan) public {
        bool ok = runSiege(plan);
        // A failed swap also reverts its records.
        if (ok) assertGt(mole.lastAnswer().length, 0, "the mole never tried");
        assertFalse(mole.anySucceeded(), "the mole got in");
        assertEq(tokenIn.balanceOf(address(mole)), WEALTH);
    }

    function testFuzz_I08_the_fee_is_exact_by_any_entry(Plan memory plan) public {
        bool ok = runSiege(plan);
        Holdings memory fee = held(address(mole));
        // The balance from before.
        fee.native -= 1;
        if (!ok || order.direct) {
            assertEq(fee.output + fee.native, 0);
            return;
        }
        bool native = order.tokenOut == address(0);
        Holdings memory left = held(order.recipient);
        uint256 got;
        // A part of the native input is returned; never the input and the output.
        if (native) got = left.native - WEALTH;
        else got = left.output - rebased(plan, WEALTH);
        uint256 paid = native ? fee.native : fee.output;
        assertEq(native ? fee.output : fee.native, 0);
        if (!native && (plan.kindOut == TAXED || plan.kindOut == REBASING)) {
            assertLe(paid, (paid + got) * 2 / 10);
        } else {
            assertEq(paid, (paid + got) * order.feePpm / 1e6);
        }
    }
}
