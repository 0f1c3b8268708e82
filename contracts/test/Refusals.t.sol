// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBalancerV2Vault} from "../src/interfaces/IBalancerV2Vault.sol";
import {IExecutor} from "../src/interfaces/IExecutor.sol";
import {IGuard} from "../src/interfaces/IGuard.sol";
import {IUniswapV2Pair} from "../src/interfaces/IUniswapV2Pair.sol";
import {IUniswapV4PoolManager} from "../src/interfaces/IUniswapV4PoolManager.sol";
import {IWrappedNative} from "../src/interfaces/IWrappedNative.sol";
import {StorageSlots} from "../src/slots/StorageSlots.sol";
import {Arena} from "./support/Arena.sol";
import {IToken} from "./support/Genuine.sol";
import {Deal} from "./support/Deals.sol";
import {Move} from "./support/Hostile.sol";
import {Programs} from "./support/Programs.sol";
import {Recorder, Tape} from "./support/Recorder.sol";
import {FalseToken} from "./support/Tokens.sol";

contract Slots is StorageSlots {
    function get(uint256 slot) external view returns (uint256) {
        return _get(slot);
    }

    function set(uint256 slot, uint256 value) external {
        _set(slot, value);
    }
}

/// @notice A token whose `approve` returns false.
contract UnapprovableToken is FalseToken {
    function approve(address, uint256) external pure override returns (bool) {
        return false;
    }
}

/// @notice Rare paths and their errors. Most of them revert.
contract RefusalsTest is Arena {
    function test_a_fee_recipient_that_takes_no_native_is_named() public {
        Deal memory order = orderOf(address(tokenIn), 1, address(0), 1, address(puppet));
        // A token does not accept native token.
        (order.feePpm, order.feeRecipient) = (100_000, address(tokenOut));
        vm.deal(address(puppet), 1000);
        vm.expectRevert(abi.encodeWithSelector(IGuard.NativeTransferFailed.selector, address(tokenOut), 100));
        swap(order, programOf(Move(address(guard), 1000, "", true)));
    }

    function test_a_fee_that_the_token_does_not_pay_is_named() public {
        Deal memory order = orderOf(1, 1);
        (order.feePpm, order.feeRecipient) = (100_000, partner);
        // False only for the recipient: otherwise the sender would get the output, and the Guard would keep the fee.
        vm.mockCall(address(tokenOut), abi.encodeCall(IToken.transfer, (partner, 100)), abi.encode(false));
        vm.expectRevert(abi.encodeWithSelector(IGuard.TransferFailed.selector, address(tokenOut), partner, 100));
        swap(order, programOf(mintMove(address(tokenOut), address(guard), 1000)));
    }

    function test_an_input_that_answers_false_is_named() public {
        FalseToken token = new FalseToken();
        Deal memory order = orderOf(address(token), 7, address(tokenOut), 1, address(puppet));
        vm.expectRevert(abi.encodeWithSelector(IGuard.TransferFailed.selector, address(token), partner, 7));
        swap(order, programOf(pullMove(partner, 7, true)));
    }

    function test_a_token_without_a_readable_balance_is_named() public {
        Deal memory order = orderOf(address(tokenIn), 7, partner, 1, address(puppet));
        vm.expectRevert(abi.encodeWithSelector(IGuard.ReadFailed.selector, partner));
        swap(order, "");
    }

    function test_an_approval_that_answers_false_is_named() public {
        address token = address(new UnapprovableToken());
        bytes memory program = abi.encodePacked(bytes1(0x0b), bytes1(0x22), uint128(5), token, partner);
        vm.expectRevert(abi.encodeWithSelector(IExecutor.TransferFailed.selector, token, partner, 5));
        run(Programs.task(address(this)), program);
    }

    /// @dev A reverting callee of the Executor or the Guard: its revert data is that of the swap.
    function refuse(address target, bytes4 name) internal {
        bytes memory reason = abi.encodeWithSignature("Refused(bytes4)", name);
        vm.mockCallRevert(target, abi.encodePacked(name), reason);
        vm.expectRevert(reason);
    }

    function test_what_a_token_says_against_an_approval_is_passed_on() public {
        refuse(address(tokenIn), IToken.approve.selector);
        run(
            Programs.task(address(this)),
            abi.encodePacked(bytes1(0x0b), bytes1(0x22), uint128(5), address(tokenIn), partner)
        );
    }

    function test_what_a_token_says_against_being_drawn_or_paid_out_is_passed_on() public {
        refuse(address(tokenIn), IToken.transferFrom.selector);
        swap(orderOf(7, 1), programOf(pullMove(partner, 7, true)));
        vm.clearMockedCalls();
        refuse(address(tokenOut), IToken.transfer.selector);
        swap(orderOf(7, 1), programOf(mintMove(address(tokenOut), address(guard), 1)));
    }

    function test_a_uniswap_v2_pair_without_reserves_is_named() public {
        vm.expectRevert(abi.encodeWithSelector(IExecutor.ReadFailed.selector, partner));
        run(Programs.task(address(this)), Programs.v2(Programs.AT_POOL, "", address(tokenIn), partner, 3000));
    }

    function test_only_pairs_that_are_paid_first_take_what_is_there() public {
        vm.expectRevert(abi.encodeWithSelector(IExecutor.InvalidStep.selector, uint8(Programs.AT_POOL)));
        run(Programs.task(address(this)), Programs.v3(Programs.AT_POOL, "", address(tokenIn), partner));
    }

    function test_what_a_uniswap_v2_pair_says_against_a_swap_is_passed_on() public {
        address pool = v2Pair(address(tokenIn), address(tokenOut), 1e18);
        refuse(pool, IUniswapV2Pair.swap.selector);
        run(Programs.task(address(this)), Programs.v2(Programs.AT_POOL, "", address(tokenIn), pool, 3000));
    }

    function test_what_the_uniswap_v4_manager_says_is_passed_on() public {
        address manager = address(new Recorder(new Tape()));
        bytes memory program = abi.encodePacked(
            abi.encodePacked(bytes1(0x05), Programs.HELD, uint128(5), address(tokenIn), manager),
            abi.encodePacked(uint8(1), address(tokenOut), uint24(3000), int24(60))
        );
        tokenIn.mint(address(executor), 5);
        bytes4[4] memory names = [
            IUniswapV4PoolManager.swap.selector,
            IUniswapV4PoolManager.sync.selector,
            IUniswapV4PoolManager.settle.selector,
            IUniswapV4PoolManager.take.selector
        ];
        for (uint256 k; k < names.length; ++k) {
            refuse(manager, names[k]);
            run(Programs.task(address(this)), program);
            vm.clearMockedCalls();
        }
        run(Programs.task(address(this)), program);
    }

    function curveStep(uint8 variant, address pool) private view returns (bytes memory) {
        bytes memory input = abi.encodePacked(bytes1(0x07), Programs.HELD, uint128(5), address(tokenIn));
        return abi.encodePacked(input, variant, uint8(0), uint8(1), address(tokenOut), pool);
    }

    function test_a_curve_pool_without_code_is_refused_in_each_variant() public {
        tokenIn.mint(address(executor), 5);
        for (uint8 variant; variant < 5; ++variant) {
            vm.expectRevert(bytes(""));
            run(Programs.task(address(this)), curveStep(variant, partner));
        }
        vm.expectRevert(abi.encodeWithSelector(IExecutor.InvalidStep.selector, uint8(Programs.HELD)));
        run(Programs.task(address(this)), curveStep(5, partner));
    }

    function test_what_a_curve_pool_says_is_passed_on_in_each_variant() public {
        address pool = address(new Recorder(new Tape()));
        tokenIn.mint(address(executor), 5);
        string[5] memory calls = [
            "exchange(int128,int128,uint256,uint256)",
            "exchange(uint256,uint256,uint256,uint256)",
            "exchange_received(int128,int128,uint256,uint256,address)",
            "exchange_received(uint256,uint256,uint256,uint256,address)",
            "swap(uint8,uint8,uint256,uint256,uint256)"
        ];
        for (uint8 variant; variant < 5; ++variant) {
            refuse(pool, bytes4(keccak256(bytes(calls[variant]))));
            run(Programs.task(address(this)), curveStep(variant, pool));
            vm.clearMockedCalls();
        }
    }

    function test_what_a_wrapper_says_is_passed_on() public {
        give(address(weth), address(puppet), 1);
        Deal memory order = orderOf(address(weth), 1, address(tokenOut), 1, address(puppet));
        order.value = 1;
        refuse(address(weth), IWrappedNative.deposit.selector);
        swap(order, "");

        order = orderOf(address(tokenIn), 1, address(0), 1, address(puppet));
        order.wrapper = address(weth);
        refuse(address(weth), IWrappedNative.withdraw.selector);
        swap(order, programOf(Move(address(weth), 0, abi.encodeCall(IToken.transfer, (address(guard), 1)), true)));
    }

    function test_an_amount_that_a_pool_would_take_for_an_output_is_refused() public {
        IExecutor.Task memory task = IExecutor.Task(address(tokenIn), 1 << 255, address(this));
        vm.expectRevert(abi.encodeWithSelector(IExecutor.InvalidStep.selector, uint8(Programs.PULL_ALL)));
        run(task, abi.encodePacked(bytes1(0x02), Programs.PULL_ALL, partner));
        vm.expectRevert(abi.encodeWithSelector(IExecutor.InvalidStep.selector, uint8(Programs.PULL_ALL)));
        run(task, abi.encodePacked(bytes1(0x05), Programs.PULL_ALL, partner, uint8(0)));
    }

    function test_balancer_v2_takes_native_as_value() public {
        Tape tape = new Tape();
        address vault = address(new Recorder(tape));
        vm.deal(address(executor), 9);
        run(
            Programs.task(address(this)),
            abi.encodePacked(
                bytes1(0x08), Programs.HELD, uint128(9), address(0), vault, uint8(1), bytes32(0), address(tokenOut)
            )
        );
        (address target, uint256 value, bytes memory data) = tape.next();
        assertEq(target, vault);
        assertEq(value, 9);
        assertEq(bytes4(data), IBalancerV2Vault.batchSwap.selector);
    }

    function test_curve_passes_native_on() public {
        Tape tape = new Tape();
        address pool = address(new Recorder(tape));
        // A token whose allowance any spender can use up.
        address token = address(new Recorder(tape));
        vm.deal(address(executor), 5);
        bytes memory head = abi.encodePacked(bytes1(0x07), Programs.HELD | Programs.TO_GUARD, uint128(9), token);
        run(Programs.task(partner), abi.encodePacked(head, uint8(0), uint8(0), uint8(1), address(0), pool));
        // The step must not send the balance from before.
        assertEq(address(executor).balance, 5);
        assertEq(partner.balance, 0);
    }

    function testFuzz_a_slot_in_storage_reads_as_written_and_never_goes_back_to_zero(uint256 slot, uint256 value) public {
        Slots slots = new Slots();
        assertEq(slots.get(slot), 0);
        slots.set(slot, value);
        // The largest value wraps around, and reads as zero.
        assertEq(slots.get(slot), value == type(uint256).max ? 0 : value);
        slots.set(slot, 0);
        assertEq(slots.get(slot), 0);
        assertEq(vm.load(address(slots), bytes32(slot)), bytes32(uint256(1)));
    }
}
