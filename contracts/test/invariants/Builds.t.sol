// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vm} from "forge-std/Vm.sol";
import {Siege} from "../support/Siege.sol";

/// @notice Invariant 16: both builds do the same. One trace of sieges runs through either, at the same addresses and from the
///   same state; answers, balances and the tokens' events must not differ.
contract BuildsInvariants is Siege {
    function testFuzz_I16_both_builds_do_the_same(Plan[3] memory plans) public {
        uint256 state = vm.snapshotState();
        bytes32 cancun = trace(cancunCode("Guard"), cancunCode("Executor"), plans);
        assertTrue(vm.revertToState(state));
        assertEq(trace(londonCode("GuardLondon"), londonCode("ExecutorLondon"), plans), cancun);
    }

    /// @dev So that the test above can fail: one unit of one balance makes another trace.
    function testFuzz_I16_another_trace_is_told_apart(Plan[3] memory plans) public {
        uint256 state = vm.snapshotState();
        bytes32 first = trace(cancunCode("Guard"), cancunCode("Executor"), plans);
        assertTrue(vm.revertToState(state));
        vm.deal(partner, partner.balance + 1);
        assertTrue(trace(cancunCode("Guard"), cancunCode("Executor"), plans) != first);
    }

    function trace(bytes memory guardCode_, bytes memory executorCode_, Plan[3] memory plans) private returns (bytes32 all) {
        vm.etch(address(guard), create(guardCode_).code);
        vm.etch(address(executor), create(abi.encodePacked(executorCode_, abi.encode(address(guard)))).code);
        for (uint256 k; k < 3; ++k) {
            vm.recordLogs();
            // A copy: what a siege asks for is brought into bounds in place.
            bool ok = besiege(abi.decode(abi.encode(plans[k]), (Plan)));
            Vm.Log[] memory logs = vm.getRecordedLogs();
            address[6] memory parties = [user, victim, partner, address(guard), address(executor), address(puppet)];
            for (uint256 n; n < 6; ++n) all = keccak256(abi.encode(all, held(parties[n])));
            all = keccak256(abi.encode(all, ok, answer, logs, held(address(mole)), guard.remaining()));
            assertIdle();
        }
    }
}
