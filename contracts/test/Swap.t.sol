// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../src/interfaces/IExecutor.sol";
import {IGuard} from "../src/interfaces/IGuard.sol";
import {Deal, Deals} from "./support/Deals.sol";
import {Genuine, IToken} from "./support/Genuine.sol";
import {Programs} from "./support/Programs.sol";
import {NoReturnToken, TaxedToken, Token} from "./support/Tokens.sol";

/// @notice A user's swap in genuine pools, for each kind of input and output.
contract SwapTest is Genuine {
    IGuard internal guard;
    IExecutor internal executor;
    address internal a;
    address internal b;
    address internal c;
    address internal ab;
    address internal bc;
    address internal abV3;
    address internal user = makeAddr("user");
    address internal partner = makeAddr("partner");

    function setUp() public {
        deployGenuine();
        guard = newGuard();
        executor = newExecutor(address(guard));
        a = address(new Token());
        b = address(new Token());
        c = address(new NoReturnToken());
        ab = v2Pair(a, b, 1_000_000e18);
        bc = v2Pair(b, c, 1_000_000e18);
        abV3 = v3Pool(a, b, 3000, 1_000_000e18);
        IToken(a).mint(user, 1000e18);
        vm.deal(user, 100 ether);
        vm.prank(user);
        IToken(a).approve(address(guard), type(uint256).max);
    }

    function order(address tokenIn, uint256 amountIn, address tokenOut, uint256 minOutput)
        internal
        view
        returns (Deal memory)
    {
        return Deal({
            tokenIn: tokenIn,
            amountIn: amountIn,
            value: tokenIn == address(0) ? amountIn : 0,
            tokenOut: tokenOut,
            minOutput: minOutput,
            deadline: block.timestamp,
            executor: address(executor),
            wrapper: address(0),
            feePpm: 0,
            feeRecipient: address(0),
            sender: user,
            recipient: user,
            direct: false,
            permit: ""
        });
    }

    function swap(Deal memory o, bytes memory program) internal returns (uint256) {
        vm.prank(user);
        return Deals.send(o, address(guard), program);
    }

    function test_pays_what_a_uniswap_v2_pair_gives() public {
        uint256 expected = v2Out(ab, a, 10e18);
        uint256 got = swap(order(a, 10e18, b, expected),
            Programs.v2(Programs.PULL | Programs.TO_GUARD | zeroForOne(ab, a), Programs.pull(10e18), a, ab, 3000)
        );
        assertEq(got, expected);
        assertEq(IToken(b).balanceOf(user), expected);
        assertEq(IToken(a).balanceOf(user), 990e18);
        assertEq(IToken(b).balanceOf(address(guard)), 0);
    }

    function test_hops_through_two_pairs_that_pay_each_other() public {
        uint256 middle = v2Out(ab, a, 10e18);
        uint256 expected = v2Out(bc, b, middle);
        bytes memory program = bytes.concat(
            Programs.v2(Programs.PULL_ALL | Programs.TO_ADDRESS | zeroForOne(ab, a), "", a, ab, 3000),
            abi.encodePacked(bc),
            Programs.v2(Programs.AT_POOL | Programs.TO_GUARD | zeroForOne(bc, b), "", b, bc, 3000)
        );
        assertEq(swap(order(a, 10e18, c, expected), program), expected);
    }

    function test_splits_over_two_families_and_joins_again() public {
        bytes memory program = bytes.concat(
            Programs.v2(Programs.PULL | zeroForOne(ab, a), Programs.pull(4e18), a, ab, 3000),
            Programs.v3Pulled(Programs.PULL | zeroForOne(abV3, a), Programs.pull(6e18), abV3),
            Programs.v2(Programs.SHARE | Programs.TO_GUARD | zeroForOne(bc, b), Programs.share(1 << 23), b, bc, 3000),
            Programs.v2(Programs.REST | Programs.TO_GUARD | zeroForOne(bc, b), "", b, bc, 3000)
        );
        uint256 got = swap(order(a, 10e18, c, 1), program);
        assertEq(IToken(c).balanceOf(user), got);
        assertApproxEqRel(got, 10e18, 0.01e18);
        assertEq(IToken(b).balanceOf(address(executor)), 0);
    }

    function test_takes_native_in_through_the_wrapper() public {
        address pool = v3Pool(address(weth), b, 3000, 1_000_000e18);
        Deal memory o = order(address(weth), 2 ether, b, 1);
        o.value = 2 ether;
        uint256 got = swap(o, Programs.v3Pulled(Programs.PULL | Programs.TO_GUARD | zeroForOne(pool, address(weth)), Programs.pull(2 ether), pool)
        );
        assertEq(IToken(b).balanceOf(user), got);
        assertEq(user.balance, 98 ether);
    }

    function test_gives_native_back_that_the_program_left() public {
        address pool = v3Pool(address(weth), b, 3000, 1_000_000e18);
        Deal memory o = order(address(weth), 2 ether, b, 1);
        o.value = 2 ether;
        swap(o, Programs.v3Pulled(Programs.PULL | Programs.TO_GUARD | zeroForOne(pool, address(weth)), Programs.pull(0.5 ether), pool)
        );
        assertEq(user.balance, 99.5 ether);
        assertEq(weth.balanceOf(address(guard)), 0);
    }

    function test_pays_native_out_less_the_fee() public {
        address pool = v2Pair(a, address(weth), 1_000_000e18);
        uint256 expected = v2Out(pool, a, 10e18);
        Deal memory o = order(a, 10e18, address(0), 1);
        o.feePpm = 12_345;
        o.feeRecipient = partner;
        bytes memory program = bytes.concat(
            Programs.v2(Programs.PULL | zeroForOne(pool, a), Programs.pull(10e18), a, pool, 3000),
            Programs.unwrap(Programs.REST | Programs.TO_GUARD, "", address(weth))
        );
        uint256 got = swap(o, program);
        assertEq(partner.balance, expected * 12_345 / 1e6);
        assertEq(got + partner.balance, expected);
        assertEq(user.balance, 100 ether + got);
    }

    function test_unwraps_what_came_in_the_wrapper() public {
        address pool = v2Pair(a, address(weth), 1_000_000e18);
        uint256 expected = v2Out(pool, a, 10e18);
        give(address(weth), address(guard), 5 ether);
        vm.deal(address(guard), 7 ether);
        Deal memory o = order(a, 10e18, address(0), expected);
        o.wrapper = address(weth);
        bytes memory program =
            Programs.v2(Programs.PULL_ALL | Programs.TO_GUARD | zeroForOne(pool, a), "", a, pool, 3000);
        assertEq(swap(o, program), expected);
        assertEq(user.balance, 100 ether + expected);
        // The Guard keeps its balance from before.
        assertEq(weth.balanceOf(address(guard)), 5 ether);
        assertEq(address(guard).balance, 7 ether);
    }

    function test_wraps_and_unwraps_one_to_one() public {
        swap(order(address(0), 3 ether, address(weth), 3 ether), Programs.wrap(Programs.TO_GUARD, "", address(weth))
        );
        assertEq(weth.balanceOf(user), 3 ether);
        vm.prank(user);
        weth.approve(address(guard), 3 ether);
        swap(order(address(weth), 3 ether, address(0), 3 ether),
            Programs.unwrap(Programs.PULL | Programs.TO_GUARD, Programs.pull(3 ether), address(weth))
        );
        assertEq(user.balance, 100 ether);
    }

    function test_pays_a_taxed_output_once_in_direct_mode() public {
        address taxed = address(new TaxedToken(50_000));
        address pool = v2Pair(a, taxed, 1_000_000e18);
        uint256 sent = v2Out(pool, a, 10e18);
        Deal memory o = order(a, 10e18, taxed, 1);
        o.direct = true;
        uint256 got = swap(o,
            abi.encodePacked(
                Programs.v2(Programs.PULL | Programs.TO_ADDRESS | zeroForOne(pool, a), Programs.pull(10e18), a, pool, 3000),
                user
            )
        );
        assertEq(got, sent - sent * 50_000 / 1e6);
        assertEq(IToken(taxed).balanceOf(user), got);
    }

    function test_takes_a_taxed_input() public {
        address taxed = address(new TaxedToken(50_000));
        address pool = v2Pair(taxed, b, 1_000_000e18);
        IToken(taxed).mint(user, 10e18);
        vm.prank(user);
        IToken(taxed).approve(address(guard), 10e18);
        uint256 expected = v2Out(pool, taxed, 9.5e18);
        uint256 got = swap(order(taxed, 10e18, b, expected),
            Programs.v2(Programs.PULL | Programs.TO_GUARD | zeroForOne(pool, taxed), Programs.pull(10e18), taxed, pool, 3000)
        );
        assertEq(got, expected);
    }

    function test_reverts_when_the_sender_gets_one_unit_too_little() public {
        uint256 expected = v2Out(ab, a, 10e18);
        bytes memory program =
            Programs.v2(Programs.PULL | Programs.TO_GUARD | zeroForOne(ab, a), Programs.pull(10e18), a, ab, 3000);
        vm.expectRevert(abi.encodeWithSelector(IGuard.OutputTooLow.selector, expected, expected + 1));
        swap(order(a, 10e18, b, expected + 1), program);
        assertEq(IToken(a).balanceOf(user), 1000e18);
    }
}
