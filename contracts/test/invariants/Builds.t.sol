// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vm} from "forge-std/Vm.sol";
import {Siege} from "../support/Siege.sol";

/// @notice Invariant 16: both builds behave alike. One trace of sieges runs on each build, at the same addresses and from the same
///   state; results, balances, and events of the tokens must be equal.
contract BuildsInvariants is Siege {
    function testFuzz_I16_both_builds_do_the_same(Plan[3] memory plans) public {
        uint256 state = vm.snapshotState();
        bytes32 cancun = trace(cancunCode("Guard"), cancunCode("Executor"), plans);
        assertTrue(vm.revertToState(state));
        assertEq(trace(londonCode("GuardLondon"), londonCode("ExecutorLondon"), plans), cancun);
    }

    /// @dev Shows that the test above can fail: one unit of one balance changes the trace.
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
            // A copy, because `run` bounds the parameters of a siege in place.
            bool ok = runSiege(abi.decode(abi.encode(plans[k]), (Plan)));
            Vm.Log[] memory logs = vm.getRecordedLogs();
            address[6] memory parties = [user, victim, partner, address(guard), address(executor), address(puppet)];
            for (uint256 n; n < 6; ++n) all = keccak256(abi.encode(all, held(parties[n])));
            all = keccak256(abi.encode(all, ok, answer, logs, held(address(mole)), guard.remaining()));
            assertIdle();
        }
    }
}
