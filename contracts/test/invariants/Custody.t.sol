// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Programs} from "../support/Programs.sol";
import {IExecutor} from "../../src/interfaces/IExecutor.sol";
import {IGuard} from "../../src/interfaces/IGuard.sol";
import {Arena} from "../support/Arena.sol";
import {Deal, Deals} from "../support/Deals.sol";
import {IToken} from "../support/Genuine.sol";
import {Move, Puppet} from "../support/Hostile.sol";
import {HookToken} from "../support/Tokens.sol";

/// @notice Makes any calls to Guard and Executor, with everything except the victim's signature.
contract Attacker {
    IGuard internal guard;
    IExecutor internal executor;
    Puppet internal puppet;
    address internal victim;
    address[2] internal tokens;

    constructor(IGuard guard_, IExecutor executor_, Puppet puppet_, address victim_, address[2] memory tokens_) {
        (guard, executor, puppet, victim, tokens) = (guard_, executor_, puppet_, victim_, tokens_);
        IToken(tokens[0]).approve(address(guard), type(uint256).max);
        IToken(tokens[1]).approve(address(guard), type(uint256).max);
    }

    receive() external payable {}

    function swapWithPuppet(bool flip, uint96 amountIn, uint96 pulled, address to, bool stealing, bool direct) external {
        address tokenIn = tokens[flip ? 1 : 0];
        address tokenOut = tokens[flip ? 0 : 1];
        Move[] memory moves = new Move[](4);
        moves[0] = Move(address(guard), 0, abi.encodeCall(IGuard.pullInput, (stealing ? address(this) : to, pulled)), false);
        moves[1] = Move(
            tokenIn, 0, abi.encodeWithSignature("transferFrom(address,address,uint256)", victim, address(this), 1), false
        );
        moves[2] = Move(
            address(guard), 0, Deals.encode(_order(tokenIn, tokenOut, 1, false), ""), false
        );
        moves[3] = Move(tokenOut, 0, abi.encodeWithSignature("mint(address,uint256)", address(guard), 1e18), false);
        _swap(_order(tokenIn, tokenOut, amountIn, direct), abi.encode(moves));
    }

    function swapNative(uint96 amountIn, address wrapper, uint24 feePpm, bytes calldata program, bool genuine) external {
        Deal memory order = _order(wrapper, tokens[1], amountIn % 1e20, false);
        (order.value, order.feePpm, order.feeRecipient) = (amountIn % 1e20, feePpm, victim);
        if (genuine) order.executor = address(executor);
        _swap(order, program);
    }

    function pull(address to, uint256 amount) external {
        try guard.pullInput(to, amount) {} catch {}
    }

    function runProgram(bytes calldata program) external {
        _run(program);
    }

    function runStep(uint8 opcode, uint8 flags, uint128 amount, bool flip, bytes calldata rest) external {
        bytes memory program = abi.encodePacked(
            opcode % 22, flags % 32, amount, tokens[flip ? 1 : 0], victim, address(this), address(guard), rest
        );
        _run(program);
        Deal memory order = _order(tokens[flip ? 1 : 0], tokens[flip ? 0 : 1], amount, false);
        order.executor = address(executor);
        _swap(order, program);
    }

    function callBack(bytes4 name, int256 amount0, int256 amount1, bytes calldata data) external {
        (bool ok,) = address(executor).call(abi.encodePacked(name, abi.encode(amount0, amount1, data)));
        ok;
        (ok,) = address(guard).call(abi.encodePacked(name, abi.encode(amount0, amount1, data)));
    }

    function _swap(Deal memory order, bytes memory program) private {
        (bool ok,) = address(guard).call{value: order.value}(Deals.encode(order, program));
        ok;
    }

    function _run(bytes memory program) private {
        (bool ok,) = address(executor).call(Programs.execution(Programs.task(address(this)), program));
        ok;
    }

    function _order(address tokenIn, address tokenOut, uint256 amountIn, bool direct)
        private
        view
        returns (Deal memory)
    {
        return Deal({
            tokenIn: tokenIn,
            amountIn: amountIn,
            value: 0,
            tokenOut: tokenOut,
            minOutput: 1,
            deadline: type(uint256).max,
            executor: address(puppet),
            wrapper: address(0),
            feePpm: 0,
            feeRecipient: address(0),
            sender: address(this),
            recipient: address(this),
            direct: direct,
            permit: ""
        });
    }
}

/// @notice Invariant 1, over any sequence of calls.
contract BystanderInvariant is Arena {
    address internal victim = makeAddr("victim");

    function setUp() public override {
        super.setUp();
        fund(victim);
        // Users should not approve the Executor, but some will.
        vm.startPrank(victim);
        tokenIn.approve(address(executor), type(uint256).max);
        tokenOut.approve(address(executor), type(uint256).max);
        vm.stopPrank();
        Attacker attacker =
            new Attacker(guard, executor, puppet, victim, [address(tokenIn), address(tokenOut)]);
        tokenIn.mint(address(attacker), WEALTH);
        tokenOut.mint(address(attacker), WEALTH);
        vm.deal(address(attacker), WEALTH);
        targetContract(address(attacker));
    }

    function invariant_I01_nobody_but_the_sender_of_a_swap_loses_tokens() public view {
        assertGe(tokenIn.balanceOf(victim), WEALTH);
        assertGe(tokenOut.balanceOf(victim), WEALTH);
        assertGe(victim.balance, WEALTH);
    }
}

/// @notice Invariants 2, 4, 6, and 11: loans, retained balances, and donations of third parties.
contract CustodyInvariants is Arena {
    function testFuzz_I02_the_sender_loses_at_most_amountIn_of_tokenIn_and_nothing_else(
        uint96 amountIn,
        uint96[4] calldata pulls,
        address[4] calldata to
    ) public {
        vm.assume(amountIn != 0);
        Move[] memory moves = new Move[](6);
        for (uint256 k; k < 4; ++k) moves[k] = pullMove(to[k], pulls[k], false);
        moves[4] = Move(
            address(tokenOut), 0, abi.encodeWithSignature("transferFrom(address,address,uint256)", user, partner, 1), false
        );
        moves[5] = mintMove(address(tokenOut), address(guard), 5);
        uint256 before = tokenOut.balanceOf(user);
        trySwap(orderOf(amountIn, 1), abi.encode(moves));
        assertGe(tokenIn.balanceOf(user), WEALTH - amountIn);
        assertGe(tokenOut.balanceOf(user), before);
        assertEq(user.balance, WEALTH);
    }

    function testFuzz_I04_the_guard_keeps_nothing(
        uint96 amountIn,
        uint96 pulled,
        uint96 output,
        uint96 held,
        uint24 feePpm,
        uint8 mode
    ) public {
        amountIn = uint96(bound(amountIn, 1, 1e27));
        output = uint96(bound(output, 1, 1e27));
        feePpm = uint24(bound(feePpm, 0, 100_000));
        tokenIn.mint(address(guard), held);
        tokenOut.mint(address(guard), held);
        give(address(weth), address(guard), 1e18);
        vm.deal(address(guard), held);

        Deal memory order = orderOf(amountIn, 1);
        bytes memory program;
        mode = mode % 4;
        if (mode == 0) {
            program = programOf(pullMove(partner, pulled, false), mintMove(address(tokenOut), address(guard), output));
        } else if (mode == 1) {
            // Native token through the wrapper, drawn in part.
            (order.tokenIn, order.value) = (address(weth), order.amountIn);
            program = programOf(pullMove(partner, pulled, false), mintMove(address(tokenOut), address(guard), output));
        } else if (mode == 2) {
            // Native token that the Guard sends. A part of it is returned.
            (order.tokenIn, order.value) = (address(0), amountIn);
            program = programOf(
                Move(address(guard), pulled % (uint256(amountIn) + 1), "", true),
                mintMove(address(tokenOut), address(guard), output)
            );
        } else {
            order.tokenOut = address(0);
            vm.deal(address(puppet), output);
            program = programOf(pullMove(partner, pulled, false), Move(address(guard), output, "", true));
        }
        (order.feePpm, order.feeRecipient) = (feePpm, partner);
        swap(order, program);

        assertEq(tokenIn.balanceOf(address(guard)), held);
        assertEq(tokenOut.balanceOf(address(guard)), held);
        assertEq(weth.balanceOf(address(guard)), 1e18);
        assertEq(address(guard).balance, held);
        assertIdle();
    }

    function testFuzz_I06_pulled_and_remaining_always_add_up(uint96 amountIn, uint96[5] calldata pulls) public {
        vm.assume(amountIn != 0);
        Move[] memory moves = new Move[](11);
        uint256 left = amountIn;
        for (uint256 k; k < 5; ++k) {
            bool fits = pulls[k] <= left;
            if (fits) left -= pulls[k];
            moves[2 * k] = pullMove(partner, pulls[k], fits);
            moves[2 * k + 1] =
                Move(address(this), 0, abi.encodeCall(this.checkRemaining, (left, uint256(amountIn) - left)), true);
        }
        moves[10] = mintMove(address(tokenOut), address(guard), 1);
        swap(orderOf(amountIn, 1), abi.encode(moves));
        assertEq(tokenIn.balanceOf(user), WEALTH - (amountIn - left));
        assertIdle();
    }

    function checkRemaining(uint256 left, uint256 pulled) external view {
        assertEq(guard.remaining(), left);
        assertEq(tokenIn.balanceOf(partner), pulled);
    }

    function testFuzz_I06_only_the_executor_in_flight_pulls(address caller, uint256 amount) public {
        // The zero address is never a sender, and never has a loan.
        vm.assume(caller != address(0));
        vm.prank(caller);
        vm.expectRevert(abi.encodeWithSelector(IGuard.NotExecutor.selector, caller));
        guard.pullInput(caller, amount);

        vm.assume(caller != address(puppet) && caller != address(vm) && caller.code.length == 0);
        Move memory foreignPull = Move(address(this), 0, abi.encodeCall(this.pullAs, (caller)), true);
        swap(orderOf(10, 1), programOf(foreignPull, mintMove(address(tokenOut), address(guard), 1)));
        assertEq(tokenIn.balanceOf(user), WEALTH);
    }

    function pullAs(address caller) external {
        vm.prank(caller);
        (bool ok,) = address(guard).call(abi.encodeCall(IGuard.pullInput, (caller, 1)));
        assertFalse(ok);
    }

    function testFuzz_I06_the_guard_is_never_pulled_to(uint96 amountIn) public {
        vm.assume(amountIn != 0);
        vm.expectRevert(
            abi.encodeWithSelector(IGuard.InvalidPull.selector, address(guard), uint256(amountIn), uint256(amountIn))
        );
        swap(orderOf(amountIn, 1), programOf(pullMove(address(guard), amountIn, true)));
    }

    function testFuzz_I11_a_donation_never_lowers_what_the_sender_gets(
        uint96 output,
        uint96 before,
        uint96 during,
        bool toGuard,
        bool native
    ) public {
        output = uint96(bound(output, 1, 1e27));
        Deal memory order = orderOf(1e18, 1);
        Move memory delivery;
        Move memory donation;
        address donee = toGuard ? address(guard) : address(puppet);
        if (native) {
            order.tokenOut = address(0);
            vm.deal(address(puppet), uint256(output) + during);
            delivery = Move(address(guard), output, "", true);
            donation = Move(donee, during, "", true);
            vm.deal(donee, donee.balance + before);
        } else {
            delivery = mintMove(address(tokenOut), address(guard), output);
            donation = mintMove(address(tokenOut), donee, during);
            tokenOut.mint(donee, before);
        }
        uint256 got = swap(order, programOf(donation, delivery));
        assertGe(got, output);
        // The balances from before the swap stay.
        assertEq(got, toGuard ? uint256(output) + during : output);
    }

    function testFuzz_I11_a_donation_pays_for_no_failing_swap(
        uint96 output,
        uint96 missing,
        uint96 gift,
        uint8 donee,
        bool native,
        bool direct
    ) public {
        missing = uint96(bound(missing, 1, 1e27));
        output = uint96(bound(output, 0, 1e27));
        direct = direct && !native;
        Deal memory order = orderOf(1e18, uint256(output) + missing);
        order.direct = direct;
        // Stray balances of the participants: none of them is output.
        address[4] memory donees = [address(guard), address(executor), address(puppet), user];
        vm.deal(donees[donee % 4], donees[donee % 4].balance + gift);
        tokenOut.mint(donees[donee % 4], gift);
        Move memory delivery = mintMove(address(tokenOut), direct ? user : address(guard), output);
        if (native) {
            order.tokenOut = address(0);
            vm.deal(address(puppet), uint256(gift) + output);
            delivery = Move(address(guard), output, "", true);
        }
        vm.expectRevert(abi.encodeWithSelector(IGuard.OutputTooLow.selector, output, order.minOutput));
        swap(order, programOf(pullMove(partner, 1e18, true), delivery));
    }

    function testFuzz_I11_a_donation_changes_nothing_of_a_genuine_swap(uint96 amountIn, uint96 gift, uint8 where) public {
        amountIn = uint96(bound(amountIn, 1e6, 1e24));
        gift = uint96(bound(gift, 0, 1e24));
        address pool = v2Pair(address(tokenIn), address(tokenOut), 1e27);
        uint256 expected = v2Out(pool, address(tokenIn), amountIn);
        address[2] memory donees = [address(guard), address(executor)];
        address donee = donees[where % 2];
        tokenIn.mint(donee, gift);
        tokenOut.mint(donee, gift);
        give(address(weth), donee, gift);
        Deal memory order = orderOf(amountIn, 1);
        order.executor = address(executor);
        bytes1 flags = Programs.PULL_ALL | Programs.TO_GUARD | zeroForOne(pool, address(tokenIn));
        assertEq(swap(order, Programs.v2(flags, "", address(tokenIn), pool, 3000)), expected);
        assertEq(tokenIn.balanceOf(donee), gift);
        assertEq(tokenOut.balanceOf(donee), gift);
        assertEq(tokenIn.balanceOf(user), WEALTH - amountIn);
    }

    function testFuzz_I11_a_hook_that_donates_lowers_nothing(uint96 amountIn, uint96 gift, uint8 where) public {
        amountIn = uint96(bound(amountIn, 1e6, 1e24));
        gift = uint96(bound(gift, 0, 1e24));
        HookToken hooked = new HookToken();
        hooked.mint(user, WEALTH);
        vm.prank(user);
        hooked.approve(address(guard), type(uint256).max);
        address pool = v2Pair(address(hooked), address(tokenOut), 1e27);
        uint256 expected = v2Out(pool, address(hooked), amountIn);
        address[3] memory donees = [address(guard), address(executor), pool];
        bytes memory mint = abi.encodeWithSignature("mint(address,uint256)", donees[where % 3], uint256(gift));
        hooked.hook(address(tokenOut), mint);
        bytes1 flags = Programs.PULL_ALL | Programs.TO_GUARD | zeroForOne(pool, address(hooked));
        uint256 got = swap(
            orderOf(address(hooked), amountIn, address(tokenOut), expected, address(executor)),
            Programs.v2(flags, "", address(hooked), pool, 3000)
        );
        assertEq(got, where % 3 == 0 ? expected + gift : expected);
    }
}
