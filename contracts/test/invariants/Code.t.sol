// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {VmSafe} from "forge-std/Vm.sol";
import {IExecutor} from "../../src/interfaces/IExecutor.sol";
import {IGuard} from "../../src/interfaces/IGuard.sol";
import {Opcodes} from "../support/Opcodes.sol";
import {Siege} from "../support/Siege.sol";

/// @notice Invariants 13 and 14: properties of the code. Gas.t.sol has invariant 15.
contract CodeInvariants is Siege {
    function test_I13_no_instruction_that_could_change_the_rules() public view {
        if (instrumented()) return;
        assertEq(Opcodes.forbidden(address(guard).code, london()), 0x100);
        assertEq(Opcodes.forbidden(address(executor).code, london()), 0x100);
    }

    /// @dev Shows that the test above can fail: it finds an inserted instruction, and ignores the same byte in data.
    function testFuzz_I13_the_scan_finds_what_is_planted(uint8 op, uint16 where, bool ofGuard) public view {
        if (instrumented()) return;
        // The next forbidden opcode above it; 0xff is forbidden.
        while (!Opcodes.isForbidden(op, london())) ++op;
        bytes memory code = ofGuard ? address(guard).code : address(executor).code;
        uint256 target = where % Opcodes.bodyLength(code);
        uint256 at;
        while (Opcodes.next(code, at) <= target) at = Opcodes.next(code, at);
        // Either an instruction starts at `at`, or the byte is data of one.
        code[target] = bytes1(op);
        assertEq(Opcodes.forbidden(code, london()), target == at ? op : 0x100);
    }

    /// @dev Checks the opcodes, independently of the sources: Guard and Executor can only call.
    function testFuzz_I13_a_swap_calls_and_does_nothing_else(Plan memory plan) public {
        address[2] memory ours = [address(guard), address(executor)];
        bytes32[2] memory code = [ours[0].codehash, ours[1].codehash];
        vm.startStateDiffRecording();
        runSiege(plan);
        VmSafe.AccountAccess[] memory accesses = vm.stopAndReturnStateDiff();
        for (uint256 k; k < accesses.length; ++k) {
            VmSafe.AccountAccess memory access = accesses[k];
            if (access.accessor == ours[0] || access.accessor == ours[1]) {
                assertTrue(
                    access.kind != VmSafe.AccountAccessKind.DelegateCall && access.kind != VmSafe.AccountAccessKind.CallCode
                        && access.kind != VmSafe.AccountAccessKind.Create
                        && access.kind != VmSafe.AccountAccessKind.SelfDestruct
                );
            }
            if (london() || (access.account != ours[0] && access.account != ours[1])) continue;
            assertEq(access.storageAccesses.length, 0, "storage");
        }
        assertEq(ours[0].codehash, code[0]);
        assertEq(ours[1].codehash, code[1]);
    }

    function testFuzz_I13_the_guard_answers_eight_functions_and_no_other(bytes4 name, bytes calldata data) public {
        bytes4[8] memory known = [
            IGuard.swap.selector,
            IGuard.swapNative.selector,
            IGuard.swapWithPayout.selector,
            IGuard.swapDirect.selector,
            IGuard.swapWithPermit.selector,
            IGuard.swapDirectWithPermit.selector,
            IGuard.pullInput.selector,
            IGuard.remaining.selector
        ];
        for (uint256 k; k < known.length; ++k) vm.assume(name != known[k]);
        (bool ok,) = address(guard).call(abi.encodePacked(name, data));
        assertFalse(ok);
    }

    function testFuzz_I13_the_executor_answers_one_function_and_no_other(bytes4 name, bytes calldata data) public {
        vm.assume(name != IExecutor.execute.selector);
        (bool ok,) = address(executor).call(abi.encodePacked(name, data));
        assertFalse(ok);
    }

    function testFuzz_I14_the_address_follows_from_the_code_alone(bytes32 salt, address deployer) public {
        vm.assume(deployer.code.length == 0 && deployer != address(vm));
        bytes[2] memory codes = [guardCode(), executorCode(address(guard))];
        address[2] memory ours = [address(guard), address(executor)];
        for (uint256 k; k < 2; ++k) {
            bytes memory code = codes[k];
            // The address depends only on the factory (this test), the salt, and the code, and not on the sender of the transaction.
            vm.prank(deployer, deployer);
            address made = this.createWithSalt(code, salt);
            assertEq(made, vm.computeCreate2Address(salt, keccak256(code), address(this)));
            assertEq(made.codehash, ours[k].codehash);
        }
    }

    function createWithSalt(bytes memory code, bytes32 salt) external returns (address made) {
        assembly ("memory-safe") {
            made := create2(0, add(code, 0x20), mload(code), salt)
        }
    }
}
