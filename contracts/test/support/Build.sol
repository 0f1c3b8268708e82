// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Test} from "forge-std/Test.sol";
import {IExecutor} from "../../src/interfaces/IExecutor.sol";
import {IGuard} from "../../src/interfaces/IGuard.sol";

/// @notice Guard and Executor of the build under test: cancun, or london if the environment has `BUILD=london`.
abstract contract Build is Test {
    /// @dev The Guard of the build under test.
    function newGuard() internal returns (IGuard) {
        return IGuard(create(guardCode()));
    }

    /// @dev The Executor of a Guard, of the build under test.
    function newExecutor(address guard) internal returns (IExecutor) {
        return IExecutor(create(executorCode(guard)));
    }

    function guardCode() internal view returns (bytes memory) {
        if (mutated()) return mutantCode("Guard");
        return london() ? londonCode("GuardLondon") : cancunCode("Guard");
    }

    function executorCode(address guard) internal view returns (bytes memory) {
        if (mutated()) return abi.encodePacked(mutantCode("Executor"), abi.encode(guard));
        return abi.encodePacked(london() ? londonCode("ExecutorLondon") : cancunCode("Executor"), abi.encode(guard));
    }

    /// @dev `BUILD=london` runs the suite with that build. The contracts have the types of the cancun build, which are the same.
    function london() internal view returns (bool) {
        bytes32 build = keccak256(bytes(vm.envOr("BUILD", string("cancun"))));
        require(build == keccak256("cancun") || build == keccak256("london"), "BUILD is neither cancun nor london");
        return build == keccak256("london");
    }

    /// @dev Instrumented code is longer and more expensive: limits of code size and gas do not apply to it.
    function instrumented() internal view returns (bool) {
        return vm.envOr("COVERAGE", false);
    }

    /// @dev `MUTANT=1`: uses code that scripts/mutants.ts has mutated.
    function mutated() private view returns (bool) {
        return vm.envOr("MUTANT", false);
    }

    function mutantCode(string memory name) private view returns (bytes memory) {
        return vm.parseBytes(vm.readFile(string.concat(vm.projectRoot(), "/cache/mutant/", name, ".hex")));
    }

    /// @dev Code as `npm run build` compiles and deploys it. The tests are compiled separately, without optimization.
    function cancunCode(string memory name) internal view returns (bytes memory) {
        return vm.getCode(string.concat(name, ".sol:", name));
    }

    /// @dev By file: forge, which measures coverage, compiles all contracts for cancun.
    function londonCode(string memory name) internal view returns (bytes memory) {
        string memory path = string.concat(vm.projectRoot(), "/artifacts/src/london/", name, ".sol/", name, ".json");
        return vm.parseJsonBytes(vm.readFile(path), ".bytecode");
    }

    function create(bytes memory initCode) internal returns (address deployed) {
        assembly ("memory-safe") {
            deployed := create(0, add(initCode, 0x20), mload(initCode))
        }
        require(deployed != address(0), "creation failed");
    }
}
