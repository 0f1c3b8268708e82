// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBalancerV2Vault} from "../src/interfaces/IBalancerV2Vault.sol";
import {IBalancerV3Vault} from "../src/interfaces/IBalancerV3Vault.sol";
import {IDodoV2Pool} from "../src/interfaces/IDodoV2Pool.sol";
import {IERC20} from "../src/interfaces/IERC20.sol";
import {IExecutor} from "../src/interfaces/IExecutor.sol";
import {IERC4626} from "../src/interfaces/IERC4626.sol";
import {IGuard} from "../src/interfaces/IGuard.sol";
import {ILiquidityBookPair} from "../src/interfaces/ILiquidityBookPair.sol";
import {IRateWrapper} from "../src/interfaces/IRateWrapper.sol";
import {IUniswapV2Pair} from "../src/interfaces/IUniswapV2Pair.sol";
import {IUniswapV3Pool} from "../src/interfaces/IUniswapV3Pool.sol";
import {IUniswapV4PoolManager} from "../src/interfaces/IUniswapV4PoolManager.sol";
import {IWrappedNative} from "../src/interfaces/IWrappedNative.sol";
import {Build} from "./support/Build.sol";
import {Deals} from "./support/Deals.sol";
import {Programs} from "./support/Programs.sol";
import {Recorder, Tape} from "./support/Recorder.sol";

/// @notice Runs the golden programs of packages/program and compares the Executor's calls with the expected calls of the steps.
///   Every address in the programs responds like any pool or token, and records its calls.
contract GoldenTest is Build {
    address internal constant A = 0x1000000000000000000000000000000000000001;
    address internal constant B = 0x1000000000000000000000000000000000000002;
    address internal constant C = 0x1000000000000000000000000000000000000003;
    address internal constant P = 0x2000000000000000000000000000000000000001;
    address internal constant Q = 0x2000000000000000000000000000000000000002;
    address internal constant U = 0x3000000000000000000000000000000000000001;
    uint160 internal constant LOWEST_PRICE = 4295128740;
    uint160 internal constant HIGHEST_PRICE = 1461446703485210103287273052203988822378723970341;

    IExecutor internal executor;
    Tape internal tape;
    string internal json;

    function setUp() public {
        executor = newExecutor(address(this));
        tape = new Tape();
        json = vm.readFile(string.concat(vm.projectRoot(), "/../packages/program/golden/programs.json"));
        bytes memory code = address(new Recorder(tape)).code;
        address[6] memory all = [A, B, C, P, Q, U];
        for (uint256 k; k < 6; ++k) vm.etch(all[k], code);
        vm.deal(address(executor), 10_000);
    }

    /// @dev This test is the Guard of these programs.
    function pullInput(address to, uint256 amount) external {
        tape.write(address(this), 0, abi.encodeCall(IGuard.pullInput, (to, amount)));
    }

    receive() external payable {
        tape.write(address(this), msg.value, "");
    }

    function run(string memory name) internal {
        for (uint256 k; vm.keyExistsJson(json, string.concat("$[", vm.toString(k), "]")); ++k) {
            string memory at = string.concat("$[", vm.toString(k), "]");
            if (keccak256(bytes(vm.parseJsonString(json, string.concat(at, ".name")))) != keccak256(bytes(name))) continue;
            return runAt(at);
        }
        revert(string.concat("no golden program: ", name));
    }

    function runAt(string memory at) internal {
        address tokenIn = vm.parseJsonAddress(json, string.concat(at, ".pulledToken"));
        bytes memory program = vm.parseJsonBytes(json, string.concat(at, ".bytes"));
        Deals.call(address(executor), 0, Programs.execution(IExecutor.Task(tokenIn, 1234, address(this)), program));
    }

    /// @dev `written` with the Executor instead of 0xee…, and the Guard instead of 0xcc….
    function placed(bytes memory written) internal view returns (bytes memory) {
        bytes20[2] memory stands =
            [bytes20(0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE), bytes20(0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC)];
        bytes20[2] memory are = [bytes20(address(executor)), bytes20(address(this))];
        for (uint256 at; at + 20 <= written.length; ++at) {
            for (uint256 k; k < 2; ++k) {
                bytes20 there;
                assembly ("memory-safe") {
                    there := mload(add(add(written, 0x20), at))
                }
                if (there != stands[k]) continue;
                for (uint256 byteAt; byteAt < 20; ++byteAt) written[at + byteAt] = are[k][byteAt];
            }
        }
        return written;
    }

    /// @dev Programs of the file that include their expected calls.
    function test_calls_written_beside_a_program() public {
        uint256 met;
        for (uint256 k; vm.keyExistsJson(json, string.concat("$[", vm.toString(k), "]")); ++k) {
            string memory at = string.concat("$[", vm.toString(k), "]");
            if (!vm.keyExistsJson(json, string.concat(at, ".calls"))) continue;
            ++met;
            runAt(at);
            for (uint256 c; vm.keyExistsJson(json, string.concat(at, ".calls[", vm.toString(c), "]")); ++c) {
                string memory call = string.concat(at, ".calls[", vm.toString(c), "]");
                bytes memory to = placed(abi.encodePacked(vm.parseJsonAddress(json, string.concat(call, ".to"))));
                called(address(bytes20(to)), placed(vm.parseJsonBytes(json, string.concat(call, ".data"))));
            }
            assertTrue(tape.ended(), "further calls");
        }
        assertGt(met, 0, "no program with calls");
    }

    function called(address target, bytes memory data) internal {
        called(target, 0, data);
    }

    function called(address target, uint256 value, bytes memory data) internal {
        (address seen, uint256 seenValue, bytes memory seenData) = tape.next();
        assertEq(seen, target, "target");
        assertEq(seenData, data, "data");
        assertEq(seenValue, value, "value");
    }

    function pulled(address to, uint256 amount) internal {
        called(address(this), abi.encodeCall(IGuard.pullInput, (to, amount)));
    }

    function sent(address token, address to, uint256 amount) internal {
        called(token, abi.encodeCall(IERC20.transfer, (to, amount)));
    }

    function approved(address token, address spender, uint256 amount) internal {
        called(token, abi.encodeCall(IERC20.approve, (spender, amount)));
    }

    function swappedV2(address pool, uint256 out0, uint256 out1, address to) internal {
        called(pool, abi.encodeCall(IUniswapV2Pair.swap, (out0, out1, to, "")));
    }

    function swappedV3(address pool, address to, bool zeroForOne, uint256 amount) internal {
        uint160 limit = zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE;
        called(pool, abi.encodeCall(IUniswapV3Pool.swap, (to, zeroForOne, int256(amount), limit, "")));
    }

    function test_one_uniswap_v2_hop() public {
        run("one uniswap-v2 hop into custody");
        pulled(P, 1_000_000);
        swappedV2(P, 0, 249, address(this));
        assertTrue(tape.ended());
    }

    function test_two_uniswap_v2_hops() public {
        run("a uniswap-v2 pair that pays the next one, and the sender");
        pulled(P, 1234);
        swappedV2(P, 249, 0, Q);
        swappedV2(Q, 0, 249, U);
        assertTrue(tape.ended());
    }

    function test_two_uniswap_v3_hops() public {
        run("two uniswap-v3 hops");
        swappedV3(P, address(executor), true, type(uint128).max);
        pulled(P, type(uint128).max);
        swappedV3(Q, address(this), false, 1000);
        sent(B, Q, 1000);
        assertTrue(tape.ended());
    }

    function test_shares() public {
        run("shares of what is held");
        swappedV3(P, address(executor), false, 0);
        sent(B, P, 0);
        sent(B, Q, uint256(1000) * 16_777_215 / 16_777_216);
        swappedV2(Q, 0, 248, address(this));
        sent(B, P, 5);
        swappedV2(P, 0, 250, address(this));
        assertTrue(tape.ended());
    }

    function test_wraps() public {
        run("native wrapped in part, and wrapped token unwrapped");
        called(C, 7, abi.encodeCall(IWrappedNative.deposit, ()));
        called(C, 9993, abi.encodeCall(IWrappedNative.deposit, ()));
        sent(C, address(this), 9993);
        called(C, abi.encodeCall(IWrappedNative.withdraw, (500)));
        called(C, abi.encodeCall(IWrappedNative.withdraw, (1000)));
        called(address(this), 1000, "");
        assertTrue(tape.ended());
    }

    function test_the_senders_wrapped_token_unwrapped() public {
        // The recorder's balance is constant, so the pulled amount does not arrive.
        run("the wrapped token of the sender unwrapped");
        pulled(address(executor), 9);
        called(A, abi.encodeCall(IWrappedNative.withdraw, (0)));
        called(address(this), 0, "");
        assertTrue(tape.ended());
    }

    function test_uniswap_v4_hops() public {
        run("two pools of the uniswap-v4 singleton, native first");
        (,, bytes memory unlock) = tape.next();
        assertEq(bytes4(unlock), IUniswapV4PoolManager.unlock.selector);
        IUniswapV4PoolManager.SwapParams memory params =
            IUniswapV4PoolManager.SwapParams(true, -12, LOWEST_PRICE);
        called(
            P,
            abi.encodeCall(
                IUniswapV4PoolManager.swap,
                (IUniswapV4PoolManager.PoolKey(address(0), A, 3000, 60, address(0)), params, "")
            )
        );
        params.amountSpecified = -7;
        called(
            P,
            abi.encodeCall(
                IUniswapV4PoolManager.swap,
                (IUniswapV4PoolManager.PoolKey(A, B, 0x800000, 1, address(0)), params, "")
            )
        );
        called(P, 12, abi.encodeCall(IUniswapV4PoolManager.settle, ()));
        called(P, abi.encodeCall(IUniswapV4PoolManager.take, (B, address(this), 7)));
        assertTrue(tape.ended());
    }

    function test_uniswap_v4_with_hooks() public {
        run("a uniswap-v4 pool with hooks");
        tape.next();
        called(
            P,
            abi.encodeCall(
                IUniswapV4PoolManager.swap,
                (
                    IUniswapV4PoolManager.PoolKey(A, B, 100, 1, Q),
                    IUniswapV4PoolManager.SwapParams(true, -12, LOWEST_PRICE),
                    ""
                )
            )
        );
        called(P, abi.encodeCall(IUniswapV4PoolManager.sync, (A)));
        pulled(P, 12);
        called(P, abi.encodeCall(IUniswapV4PoolManager.settle, ()));
        called(P, abi.encodeCall(IUniswapV4PoolManager.take, (B, U, 7)));
        assertTrue(tape.ended());
    }

    function test_solidly() public {
        run("two solidly pairs");
        pulled(P, 1);
        swappedV2(P, 0, 1000, Q);
        swappedV2(Q, 1000, 0, address(this));
        assertTrue(tape.ended());
    }

    function test_curve() public {
        run("the five kinds of curve pool");
        pulled(address(executor), 4);
        // The recorder's balance was constant, so the pulled amount did not arrive.
        approved(A, P, 0);
        called(P, abi.encodeWithSignature("exchange(int128,int128,uint256,uint256)", 0, 1, 0, 0));
        approved(B, Q, 1000);
        called(Q, abi.encodeWithSignature("exchange(uint256,uint256,uint256,uint256)", 2, 0, 1000, 0));
        pulled(P, 1234);
        called(
            P,
            abi.encodeWithSignature(
                "exchange_received(int128,int128,uint256,uint256,address)", 7, 3, 0, 0, address(this)
            )
        );
        sent(B, Q, 0);
        called(
            Q,
            abi.encodeWithSignature(
                "exchange_received(uint256,uint256,uint256,uint256,address)", 1, 2, 0, 0, address(this)
            )
        );
        approved(C, P, 1000);
        called(P, abi.encodeWithSignature("swap(uint8,uint8,uint256,uint256,uint256)", 3, 1, 1000, 0, type(uint256).max));
        assertTrue(tape.ended());
    }

    function test_balancer_v2() public {
        run("a batch of two pools in the balancer-v2 vault");
        pulled(address(executor), 77);
        approved(A, P, 0);
        IBalancerV2Vault.BatchSwapStep[] memory swaps = new IBalancerV2Vault.BatchSwapStep[](2);
        swaps[0].poolId = bytes32(0x1212121212121212121212121212121212121212121212121212121212121212);
        swaps[0].assetOutIndex = 1;
        swaps[1].poolId = bytes32(0x3434343434343434343434343434343434343434343434343434343434343434);
        (swaps[1].assetInIndex, swaps[1].assetOutIndex) = (1, 2);
        address[] memory assets = new address[](3);
        (assets[0], assets[1], assets[2]) = (A, B, C);
        called(
            P,
            abi.encodeCall(
                IBalancerV2Vault.batchSwap,
                (
                    IBalancerV2Vault.SwapKind.GIVEN_IN,
                    swaps,
                    assets,
                    IBalancerV2Vault.FundManagement(address(executor), false, payable(address(this)), false),
                    new int256[](3),
                    block.timestamp
                )
            )
        );
        assertTrue(tape.ended());
    }

    function test_balancer_v3() public {
        tape.set(true);
        run("two pools in the balancer-v3 vault");
        tape.next();
        pulled(P, 77);
        called(P, abi.encodeCall(IBalancerV3Vault.settle, (A, 77)));
        called(
            P,
            abi.encodeCall(
                IBalancerV3Vault.swap,
                (IBalancerV3Vault.VaultSwapParams(IBalancerV3Vault.SwapKind.EXACT_IN, Q, A, B, 77, 0, ""))
            )
        );
        called(
            P,
            abi.encodeCall(
                IBalancerV3Vault.swap,
                (IBalancerV3Vault.VaultSwapParams(IBalancerV3Vault.SwapKind.EXACT_IN, U, B, C, 1000, 0, ""))
            )
        );
        called(P, abi.encodeCall(IBalancerV3Vault.sendTo, (C, address(this), 1000)));
        assertTrue(tape.ended());
    }

    function test_balancer_v3_buffers() public {
        tape.set(true);
        run("buffers around a pool in the balancer-v3 vault");
        tape.next();
        pulled(P, 77);
        called(P, abi.encodeCall(IBalancerV3Vault.settle, (A, 77)));
        called(P, buffered(IBalancerV3Vault.WrappingDirection.WRAP, U, 77));
        called(
            P,
            abi.encodeCall(
                IBalancerV3Vault.swap,
                (IBalancerV3Vault.VaultSwapParams(IBalancerV3Vault.SwapKind.EXACT_IN, Q, U, B, 1000, 0, ""))
            )
        );
        called(P, buffered(IBalancerV3Vault.WrappingDirection.UNWRAP, B, 1000));
        called(P, abi.encodeCall(IBalancerV3Vault.sendTo, (C, address(this), 1000)));
        assertTrue(tape.ended());
    }

    function buffered(IBalancerV3Vault.WrappingDirection direction, address share, uint256 amount)
        internal
        pure
        returns (bytes memory)
    {
        return abi.encodeCall(
            IBalancerV3Vault.erc4626BufferWrapOrUnwrap,
            (IBalancerV3Vault.BufferWrapOrUnwrapParams(
                    IBalancerV3Vault.SwapKind.EXACT_IN, direction, share, amount, 0
                ))
        );
    }

    function test_liquidity_book() public {
        run("a liquidity-book pair");
        pulled(P, 5);
        called(P, abi.encodeCall(ILiquidityBookPair.swap, (true, address(this))));
        assertTrue(tape.ended());
    }

    function test_erc4626() public {
        run("a deposit and a redemption");
        pulled(address(executor), 5);
        approved(A, B, 0);
        called(B, abi.encodeCall(IERC4626.deposit, (0, address(executor))));
        called(B, abi.encodeCall(IERC4626.redeem, (1000, address(this), address(executor))));
        assertTrue(tape.ended());
    }

    function test_rate_wrapper() public {
        run("a rebasing token wrapped and unwrapped");
        pulled(address(executor), 5);
        approved(A, B, 0);
        called(B, abi.encodeCall(IRateWrapper.wrap, (0)));
        called(B, abi.encodeCall(IRateWrapper.unwrap, (1000)));
        sent(A, address(this), 0);
        assertTrue(tape.ended());
    }

    function test_dodo_v2() public {
        run("both directions of a dodo-v2 pool");
        pulled(P, 5);
        called(P, abi.encodeCall(IDodoV2Pool.sellBase, (address(executor))));
        sent(B, P, 1000);
        called(P, abi.encodeCall(IDodoV2Pool.sellQuote, (address(this))));
        assertTrue(tape.ended());
    }
}
