// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Arena} from "../support/Arena.sol";
import {Deal, Deals} from "../support/Deals.sol";
import {Programs} from "../support/Programs.sol";

/// @notice Invariant 15, for any amount: gas of the calls to the Guard with warm accounts and slots, so that only the work of the
///   contracts is measured. `npm run bench -- gas` measures whole transactions.
contract GasInvariants is Arena {
    // Measured gas plus 3 %: a change that costs more must raise these limits. They include the work of the test tokens, which is more
    // expensive than that of the contracts, because tests are compiled without optimization. They apply to both builds: a storage slot
    // that the transaction has already changed costs as much as a transient one.
    uint256 internal constant GAS_V2 = 59_500;
    uint256 internal constant GAS_V3 = 65_200;
    uint256 internal constant GAS_HOPS = 109_200;
    uint256 internal constant GAS_SPLIT = 92_500;
    uint256 internal constant GAS_NATIVE_IN = 102_100;
    uint256 internal constant GAS_NATIVE_OUT = 74_400;
    uint256 internal constant GAS_DIRECT = 32_500;
    uint256 internal constant GAS_FEE = 64_600;

    address internal pool;
    address internal poolV3;
    address internal wethPool;

    function setUp() public override {
        super.setUp();
        pool = v2Pair(address(tokenIn), address(tokenOut), 1e27);
        poolV3 = v3Pool(address(tokenIn), address(tokenOut), 3000, 1e27);
        wethPool = v3Pool(address(tokenOut), address(weth), 3000, 1e27);
        tokenOut.mint(partner, 1);
    }

    function checkGas(Deal memory order, bytes memory program, uint256 maxGas) internal {
        if (instrumented()) return;
        order.executor = address(executor);
        // The first run warms accounts and slots.
        swap(order, program);
        (address target, uint256 value, bytes memory data) = (address(guard), order.value, Deals.encode(order, program));
        vm.prank(user);
        uint256 used = gasleft();
        (bool ok,) = target.call{value: value}(data);
        used -= gasleft();
        assertTrue(ok);
        assertLe(used, maxGas);
    }

    function v2(bytes1 flags, bytes memory amount) internal view returns (bytes memory) {
        return Programs.v2(flags | zeroForOne(pool, address(tokenIn)), amount, address(tokenIn), pool, 3000);
    }

    function v3(bytes1 flags, bytes memory amount) internal view returns (bytes memory) {
        return Programs.v3Pulled(flags | zeroForOne(poolV3, address(tokenIn)), amount, poolV3);
    }

    function testFuzz_I15_a_uniswap_v2_hop_stays_in_bounds(uint96 amount) public {
        amount = uint96(bound(amount, 1e6, 1e24));
        checkGas(orderOf(amount, 1), v2(Programs.PULL | Programs.TO_GUARD, Programs.pull(amount)), GAS_V2);
    }

    function testFuzz_I15_a_uniswap_v3_hop_stays_in_bounds(uint96 amount) public {
        amount = uint96(bound(amount, 1e6, 1e24));
        checkGas(orderOf(amount, 1), v3(Programs.PULL | Programs.TO_GUARD, Programs.pull(amount)), GAS_V3);
    }

    function testFuzz_I15_a_fee_stays_in_bounds(uint96 amount, uint24 feePpm) public {
        amount = uint96(bound(amount, 1e9, 1e24));
        Deal memory order = orderOf(amount, 1);
        (order.feePpm, order.feeRecipient) = (bound(feePpm, 1, 100_000), partner);
        checkGas(order, v2(Programs.PULL_ALL | Programs.TO_GUARD, ""), GAS_FEE);
    }

    function testFuzz_I15_direct_mode_stays_in_bounds(uint96 amount) public {
        amount = uint96(bound(amount, 1e6, 1e24));
        Deal memory order = orderOf(amount, 1);
        order.direct = true;
        checkGas(order, v2(Programs.PULL_ALL | Programs.TO_GUARD, ""), GAS_DIRECT);
    }

    function testFuzz_I15_a_split_stays_in_bounds(uint96 amount, uint96 part) public {
        amount = uint96(bound(amount, 1e9, 1e24));
        part = uint96(bound(part, 1e6, amount - 1e6));
        bytes memory program = bytes.concat(
            v2(Programs.PULL | Programs.TO_GUARD, Programs.pull(part)),
            v3(Programs.PULL | Programs.TO_GUARD, Programs.pull(amount - part))
        );
        checkGas(orderOf(amount, 1), program, GAS_SPLIT);
    }

    function testFuzz_I15_two_hops_stay_in_bounds(uint96 amount) public {
        amount = uint96(bound(amount, 1e9, 1e24));
        bytes memory program = bytes.concat(
            v2(Programs.PULL_ALL, ""),
            Programs.v3(
                Programs.REST | Programs.TO_GUARD | zeroForOne(wethPool, address(tokenOut)), "", address(tokenOut), wethPool
            )
        );
        checkGas(orderOf(address(tokenIn), amount, address(weth), 1, address(executor)), program, GAS_HOPS);
    }

    function testFuzz_I15_native_in_stays_in_bounds(uint96 amount) public {
        amount = uint96(bound(amount, 1e6, 1e24));
        Deal memory order = orderOf(address(weth), amount, address(tokenOut), 1, address(executor));
        order.value = amount;
        bytes1 flags = Programs.PULL_ALL | Programs.TO_GUARD | zeroForOne(wethPool, address(weth));
        checkGas(order, Programs.v3Pulled(flags, "", wethPool), GAS_NATIVE_IN);
    }

    function testFuzz_I15_native_out_stays_in_bounds(uint96 amount) public {
        amount = uint96(bound(amount, 1e6, 1e24));
        Deal memory order = orderOf(address(tokenOut), amount, address(0), 1, address(executor));
        order.wrapper = address(weth);
        bytes1 flags = Programs.PULL_ALL | Programs.TO_GUARD | zeroForOne(wethPool, address(tokenOut));
        checkGas(order, Programs.v3Pulled(flags, "", wethPool), GAS_NATIVE_OUT);
    }
}
