// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../../src/interfaces/IExecutor.sol";
import {IGuard} from "../../src/interfaces/IGuard.sol";
import {Arena} from "../support/Arena.sol";
import {Deal, Deals} from "../support/Deals.sol";
import {HostilePool, Move, Puppet} from "../support/Hostile.sol";
import {Programs} from "../support/Programs.sol";
import {HookToken} from "../support/Tokens.sol";
import {HostileVault} from "../support/Vaults.sol";

/// @notice A wrapper that credits and returns wrong amounts.
contract LyingWrapper {
    mapping(address => uint256) public balanceOf;
    uint256 public credited;
    uint256 public returned;

    constructor(uint256 credited_, uint256 returned_) {
        (credited, returned) = (credited_, returned_);
    }

    function deposit() external payable {
        balanceOf[msg.sender] += credited;
    }

    function credit(address account, uint256 amount) external {
        balanceOf[account] += amount;
    }

    function withdraw(uint256) external {
        (bool ok,) = msg.sender.call{value: returned}("");
        require(ok);
    }
}

/// @notice A token that accepts native token and credits nothing.
contract SwallowingWrapper {
    mapping(address => uint256) public balanceOf;

    function deposit() external payable {}

    function credit(address account, uint256 amount) external {
        balanceOf[account] += amount;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

/// @notice A correct wrapper, except that it tries to re-enter in every call.
contract MeddlingWrapper {
    mapping(address => uint256) public balanceOf;
    address internal target;
    bytes internal data;
    bool public entered;
    bytes public answer;

    function intrude(address target_, bytes calldata data_) external {
        (target, data) = (target_, data_);
    }

    function deposit() external payable {
        _intrude();
        balanceOf[msg.sender] += msg.value;
    }

    function withdraw(uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        _intrude();
        (bool ok,) = msg.sender.call{value: amount}("");
        require(ok);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function _intrude() private {
        bool ok;
        (ok, answer) = target.call(data);
        entered = entered || ok;
    }
}

/// @notice Invariants 7 and 9: re-entrancy and callbacks.
contract ReentrancyInvariants is Arena {
    /// @dev Attempts of a re-entering party.
    function attempt(uint256 which) internal view returns (address target, bytes memory data) {
        which = which % 4;
        if (which == 0) return (address(guard), Deals.encode(orderOf(1, 1), programOf(pullMove(partner, 1, false))));
        if (which == 1) return (address(guard), abi.encodeCall(IGuard.pullInput, (partner, 1)));
        if (which == 2) {
            return (address(executor), abi.encodeWithSignature("anyName(int256,int256,bytes)", int256(1), int256(0), ""));
        }
        return (address(executor), Programs.execution(Programs.task(address(this)), ""));
    }

    function testFuzz_I07_a_hooked_token_cannot_re_enter(uint96 amountIn, uint8 which, bool asInput) public {
        amountIn = uint96(bound(amountIn, 1e6, 1e24));
        HookToken hooked = new HookToken();
        hooked.mint(user, WEALTH);
        vm.prank(user);
        hooked.approve(address(guard), type(uint256).max);
        address other = address(tokenOut);
        address pool = v2Pair(address(hooked), other, 1e27);
        (address from, address to) = asInput ? (address(hooked), other) : (other, address(hooked));
        // Armed only now, because the funding of the pool is not an attack.
        (address target, bytes memory data) = attempt(which);
        hooked.hook(target, data);
        uint256 got = swap(
            orderOf(from, amountIn, to, 1, address(executor)),
            Programs.v2(Programs.PULL | Programs.TO_GUARD | zeroForOne(pool, from), Programs.pull(amountIn), from, pool, 3000)
        );
        assertGt(got, 0);
        assertFalse(hooked.reached(), "the hook got in");
        assertGt(hooked.answer().length, 0, "the hook never ran");
        assertIdle();
    }

    function testFuzz_I07_neither_sender_nor_fee_recipient_re_enters(uint96 output, uint8 which, bool atFee) public {
        output = uint96(bound(output, 1e6, 1e27));
        (address target, bytes memory data) = attempt(which);
        Move[] memory moves = new Move[](1);
        moves[0] = Move(target, 0, data, false);
        Puppet wallet = new Puppet();
        tokenIn.mint(address(wallet), 1e18);
        wallet.run(
            Move(address(tokenIn), 0, abi.encodeWithSignature("approve(address,uint256)", address(guard), 1e18), true)
        );
        Puppet recipient = new Puppet();
        (atFee ? recipient : wallet).onAnyCall(moves);

        Deal memory order = orderOf(address(tokenIn), 1e18, address(0), 1, address(puppet));
        (order.feePpm, order.feeRecipient) = (50_000, address(recipient));
        vm.deal(address(puppet), output);
        bytes memory program = programOf(Move(address(guard), output, "", true));
        vm.prank(address(wallet));
        Deals.send(order, address(guard), program);
        Puppet attacker = atFee ? recipient : wallet;
        assertGt(attacker.lastAnswer().length, 0, "the attack never ran");
        assertFalse(attacker.anySucceeded() && atFee, "the fee recipient got in");
        assertEq(tokenIn.balanceOf(partner), 0);
        assertEq(tokenIn.balanceOf(address(wallet)), 1e18);
        assertIdle();
    }

    function testFuzz_I07_swaps_in_one_transaction_do_not_touch_each_other(uint96 first, uint96 second, uint96 pulled)
        public
    {
        first = uint96(bound(first, 2, 1e27));
        second = uint96(bound(second, 1, 1e27));
        pulled = uint96(bound(pulled, 0, first - 1));
        bytes memory program = programOf(pullMove(partner, pulled, true), mintMove(address(tokenOut), address(guard), 1));
        swap(orderOf(first, 1), program);
        assertIdle();
        // The rest of the first loan is not lent in the second swap.
        program = programOf(
            pullMove(partner, uint256(second) + 1, false), mintMove(address(tokenOut), address(guard), 1)
        );
        swap(orderOf(second, 1), program);
        assertEq(tokenIn.balanceOf(user), WEALTH - pulled);
        assertIdle();
    }

    function testFuzz_I07_a_lying_wrapper_moves_nothing(
        uint96 amount,
        uint96 credited,
        uint96 returned,
        uint96 strayWrapped,
        uint8 truths
    ) public {
        amount = uint96(bound(amount, 1, 1e27));
        // Half of the cases each: it credits the full amount; it returns the full amount; the Guard has a balance of it.
        if (truths & 1 != 0) credited = amount;
        if (truths & 2 != 0) returned = amount;
        if (truths & 4 != 0) strayWrapped = 0;
        LyingWrapper wrapper = new LyingWrapper(credited, returned);
        wrapper.credit(address(guard), strayWrapped);
        vm.deal(address(wrapper), type(uint96).max);
        Deal memory order = orderOf(address(wrapper), amount, address(tokenOut), 1, address(puppet));
        order.value = amount;
        uint256 stray = 5 ether;
        vm.deal(address(guard), stray);
        bool ok = trySwap(order, programOf(mintMove(address(tokenOut), address(guard), 1)));
        assertEq(ok, (credited == amount || strayWrapped == 0) && returned == amount);
        assertEq(address(guard).balance, stray);
        assertGe(wrapper.balanceOf(address(guard)), strayWrapped);
    }

    function testFuzz_I07_a_wrapper_that_gives_nothing_lends_nothing(uint96 amount, uint96 strayWrapped) public {
        amount = uint96(bound(amount, 1, 1e27));
        // Accepts the value, credits nothing, and is a token otherwise.
        SwallowingWrapper wrapper = new SwallowingWrapper();
        wrapper.credit(address(guard), strayWrapped);
        Deal memory order = orderOf(address(wrapper), amount, address(tokenOut), 1, address(puppet));
        order.value = amount;
        bool ok = trySwap(order, programOf(pullMove(partner, amount, true), mintMove(address(tokenOut), address(guard), 1)));
        assertFalse(ok, "it was lent");
        assertEq(wrapper.balanceOf(address(guard)), strayWrapped);
        assertEq(wrapper.balanceOf(partner), 0);
    }

    function testFuzz_I07_a_wrapper_that_lies_at_the_output_moves_nothing(uint96 paid, uint96 returned) public {
        paid = uint96(bound(paid, 1, 1e27));
        LyingWrapper wrapper = new LyingWrapper(paid, returned);
        vm.deal(address(wrapper), type(uint96).max);
        Deal memory order = orderOf(address(tokenIn), 1, address(0), 1, address(puppet));
        order.wrapper = address(wrapper);
        uint256 stray = 5 ether;
        vm.deal(address(guard), stray);
        // It credits the Guard, which counts that as output and unwraps it.
        bytes memory credit = abi.encodeWithSignature("credit(address,uint256)", address(guard), uint256(paid));
        bool ok = trySwap(order, programOf(Move(address(wrapper), 0, credit, true)));
        assertEq(ok, returned == paid);
        assertEq(address(guard).balance, stray);
    }

    function testFuzz_I07_only_the_guard_runs_programs(address caller, bytes calldata program) public {
        vm.assume(caller != address(guard) && caller != address(vm));
        vm.prank(caller);
        vm.expectRevert(abi.encodeWithSelector(IExecutor.NotGuard.selector, caller));
        Deals.call(address(executor), 0, Programs.execution(Programs.task(caller), program));
    }

    function testFuzz_I07_a_pool_cannot_re_enter(uint96 amountIn, uint8 which, bool isElastic) public {
        amountIn = uint96(bound(amountIn, 1, 1e27));
        HostilePool pool = new HostilePool();
        pool.plan(1, 0, address(tokenOut));
        tokenOut.mint(address(pool), WEALTH);
        // Excludes its own callback, which is tested below.
        (address target, bytes memory data) = attempt(which % 3 == 2 ? 3 : which % 3);
        pool.intrude(Move(target, 0, data, false));
        Deal memory order = orderOf(amountIn, amountIn);
        order.executor = address(executor);
        swap(order, poolStep(isElastic, address(pool), amountIn));
        assertEq(pool.entered(), 0, "the pool got in");
        assertGt(pool.answer().length, 0, "the pool never tried");
        assertEq(tokenIn.balanceOf(user), WEALTH - amountIn);
        assertIdle();
    }

    function testFuzz_I07_a_wrapper_cannot_re_enter(uint96 amount, uint8 which, bool atOutput) public {
        amount = uint96(bound(amount, 1, 1e27));
        MeddlingWrapper wrapper = new MeddlingWrapper();
        (address target, bytes memory data) = attempt(which);
        wrapper.intrude(target, data);
        Deal memory order = orderOf(address(wrapper), amount, address(tokenOut), 1, address(puppet));
        order.value = amount;
        bytes memory program = programOf(mintMove(address(tokenOut), address(guard), 1));
        if (atOutput) {
            order = orderOf(address(tokenIn), amount, address(0), amount, address(puppet));
            order.wrapper = address(wrapper);
            vm.deal(address(puppet), amount);
            program = programOf(
                Move(address(wrapper), amount, abi.encodeCall(MeddlingWrapper.deposit, ()), true),
                Move(address(wrapper), 0, abi.encodeCall(MeddlingWrapper.transfer, (address(guard), amount)), true)
            );
        }
        swap(order, program);
        assertFalse(wrapper.entered(), "the wrapper got in");
        assertGt(wrapper.answer().length, 0, "the wrapper never tried");
        assertIdle();
    }

    function v3Step(address pool, bytes1 kind, uint256 amount) internal pure returns (bytes memory) {
        return Programs.v3Pulled(kind | Programs.TO_GUARD, Programs.pull(amount), pool);
    }

    /// @dev A step of uniswap-v3, or of kyber-elastic.
    function poolStep(bool isElastic, address pool, uint256 amount) internal pure returns (bytes memory step) {
        step = v3Step(pool, Programs.PULL, amount);
        if (isElastic) step[0] = 0x1f;
    }

    function testFuzz_I09_a_pool_is_paid_once(uint96 amount, uint8 callbacks, bool isElastic) public {
        amount = uint96(bound(amount, 1, 1e27));
        callbacks = uint8(bound(callbacks, 0, 4));
        HostilePool pool = new HostilePool();
        pool.plan(callbacks, 0, address(0));
        Deal memory order = orderOf(1e28, 1);
        order.executor = address(executor);
        if (callbacks == 0) {
            vm.expectRevert(abi.encodeWithSelector(IExecutor.CallbackMissing.selector, address(pool)));
        } else if (callbacks > 1) {
            vm.expectRevert(abi.encodeWithSelector(IExecutor.UnexpectedCallback.selector, address(pool), address(0)));
        } else {
            vm.expectRevert(abi.encodeWithSelector(IGuard.OutputTooLow.selector, 0, 1));
        }
        swap(order, poolStep(isElastic, address(pool), amount));
    }

    function testFuzz_I09_only_the_pool_of_the_hop_is_paid(uint96 amount, int256 asked0, int256 asked1, bool isElastic) public {
        amount = uint96(bound(amount, 1, 1e27));
        HostilePool pool = new HostilePool();
        pool.plan(1, 0, address(tokenOut));
        tokenOut.mint(address(pool), WEALTH);
        // Another contract calls back while the pool's callback is expected, and again after the payment.
        bytes memory callback = abi.encodeWithSignature("swapCallback(int256,int256,bytes)", asked0, asked1, "");
        Move memory move = Move(address(executor), 0, callback, true);
        pool.intrude(Move(address(puppet), 0, abi.encodeCall(Puppet.run, (move)), false));
        Deal memory order = orderOf(amount, amount);
        order.executor = address(executor);
        swap(order, poolStep(isElastic, address(pool), amount));
        assertEq(pool.entered(), 0, "another contract was paid");
        assertEq(bytes4(pool.answer()), IExecutor.UnexpectedCallback.selector);
        assertEq(tokenIn.balanceOf(address(pool)), amount);
        assertEq(tokenIn.balanceOf(address(puppet)), 0);
    }

    function testFuzz_I09_a_pool_never_draws_more_than_amountIn(uint96 amount, uint96 amountIn, uint128 requested, bool isElastic)
        public
    {
        amountIn = uint96(bound(amountIn, 1, 1e27));
        amount = uint96(bound(amount, 1, amountIn));
        requested = uint128(bound(requested, 1, type(uint128).max));
        HostilePool pool = new HostilePool();
        pool.plan(1, requested, address(tokenOut));
        tokenOut.mint(address(pool), WEALTH);
        Deal memory order = orderOf(amountIn, 1);
        order.executor = address(executor);
        bool ok = trySwap(order, poolStep(isElastic, address(pool), amount));
        assertEq(ok, requested <= amountIn);
        assertEq(tokenIn.balanceOf(address(pool)), ok ? requested : 0);
        assertGe(tokenIn.balanceOf(user), WEALTH - amountIn);
    }

    function testFuzz_I09_nobody_else_is_paid(address caller, bytes4 name, int256 amount0, int256 amount1) public {
        vm.assume(caller != address(0) && name != IExecutor.execute.selector);
        vm.prank(caller);
        vm.expectRevert(abi.encodeWithSelector(IExecutor.UnexpectedCallback.selector, caller, address(0)));
        (bool ok,) = address(executor).call(abi.encodePacked(name, abi.encode(amount0, amount1, "")));
        ok;
    }

    function vaultStep(bool balancer, address vault, uint256 amount) internal view returns (bytes memory) {
        bytes1 flags = Programs.PULL | Programs.TO_GUARD;
        bytes memory head = abi.encodePacked(balancer ? bytes1(0x09) : bytes1(0x05), flags, uint128(amount), vault, uint8(1));
        return balancer
            ? abi.encodePacked(head, vault, address(tokenOut))
            : abi.encodePacked(head, address(tokenOut), uint24(3000), uint24(60));
    }

    function testFuzz_I09_a_vault_is_paid_once(uint96 amount, uint8 callbacks, bool balancer) public {
        amount = uint96(bound(amount, 1, 1e18));
        callbacks = uint8(bound(callbacks, 0, 4));
        HostileVault vault = new HostileVault();
        vault.plan(balancer, callbacks, 0, address(tokenOut), "");
        tokenOut.mint(address(vault), WEALTH);
        Deal memory order = orderOf(1e28, 1);
        order.executor = address(executor);
        if (callbacks == 0) {
            vm.expectRevert(abi.encodeWithSelector(IExecutor.CallbackMissing.selector, address(vault)));
        } else if (callbacks > 1) {
            vm.expectRevert(abi.encodeWithSelector(IExecutor.UnexpectedCallback.selector, address(vault), address(0)));
        }
        swap(order, vaultStep(balancer, address(vault), amount));
        if (callbacks == 1) assertEq(tokenIn.balanceOf(address(vault)), amount);
    }

    function testFuzz_I09_a_vault_that_forges_its_callback_draws_no_more_than_amountIn(
        uint96 amountIn,
        uint128 requested,
        bool balancer,
        address to
    ) public {
        amountIn = uint96(bound(amountIn, 1, 1e27));
        requested = uint128(bound(requested, 1, uint128(type(int128).max)));
        vm.assume(to != address(guard) && to != user);
        HostileVault vault = new HostileVault();
        bytes memory forged = balancer
            // Amount, recipient, token in, hops.
            ? abi.encodePacked(uint256(requested), to, address(tokenOut), uint8(1), address(vault), address(tokenOut))
            // Amount, recipient, flags, token in, hops.
            : abi.encodePacked(uint256(requested), to, bytes1(0), address(tokenIn), uint8(1), address(tokenOut), uint48(0));
        vault.plan(balancer, 1, requested, address(0), forged);
        Deal memory order = orderOf(amountIn, 1);
        order.executor = address(executor);
        bool ok = trySwap(order, vaultStep(balancer, address(vault), 1));
        // With forged callback data the vault pays no output, so the swap fails.
        assertFalse(ok);
        assertEq(tokenIn.balanceOf(user), WEALTH);
        // If it pays output, it has drawn exactly the requested amount, and at most the loan.
        vault.plan(balancer, 1, requested, address(tokenOut), "");
        tokenOut.mint(address(vault), WEALTH * 1e9);
        ok = trySwap(order, vaultStep(balancer, address(vault), balancer ? requested : 1));
        assertEq(ok, requested <= amountIn);
        assertEq(tokenIn.balanceOf(address(vault)), ok ? requested : 0);
        assertGe(tokenIn.balanceOf(user), WEALTH - amountIn);
    }
}
