// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Executor} from "../../src/Executor.sol";
import {Guard} from "../../src/Guard.sol";
import {IGuard} from "../../src/interfaces/IGuard.sol";
import {Arena} from "../support/Arena.sol";
import {Programs} from "../support/Programs.sol";

/// @notice Invariants 13, 14 and 15: the code itself.
contract CodeInvariants is Arena {
    function test_I13_no_instruction_that_could_change_the_rules() public view {
        checkOpcodes(address(guard).code, london());
        checkOpcodes(address(executor).code, london());
    }

    /// @dev Data of PUSH instructions is skipped, and so is the metadata, whose length the last two bytes tell.
    function checkOpcodes(bytes memory code, bool ofLondon) internal pure {
        uint256 length = code.length - 2 - (uint256(uint8(code[code.length - 2])) << 8 | uint8(code[code.length - 1]));
        for (uint256 at; at < length; ++at) {
            uint8 op = uint8(code[at]);
            if (op >= 0x60 && op <= 0x7f) {
                at += op - 0x5f;
                continue;
            }
            assertTrue(op != 0xf4, "DELEGATECALL");
            assertTrue(op != 0xf2, "CALLCODE");
            assertTrue(op != 0xff, "SELFDESTRUCT");
            assertTrue(op != 0xf0 && op != 0xf5, "CREATE");
            if (ofLondon) assertTrue(op < 0x5c || op > 0x5f, "TLOAD, TSTORE, MCOPY or PUSH0");
            else assertTrue(op != 0x54 && op != 0x55, "storage");
            assertTrue(op < 0xa0 || op > 0xa4, "LOG");
        }
    }

    function testFuzz_I13_the_guard_answers_three_functions_and_no_other(bytes4 name, bytes calldata data) public {
        vm.assume(
            name != IGuard.swap.selector && name != IGuard.pull.selector && name != IGuard.remaining.selector
        );
        (bool ok,) = address(guard).call(abi.encodePacked(name, data));
        assertFalse(ok);
    }

    function testFuzz_I14_the_address_follows_from_the_code_alone(bytes32 salt) public {
        Guard a = new Guard{salt: salt}();
        Executor b = new Executor{salt: salt}();
        assertEq(address(a), vm.computeCreate2Address(salt, keccak256(type(Guard).creationCode), address(this)));
        assertEq(address(b), vm.computeCreate2Address(salt, keccak256(type(Executor).creationCode), address(this)));
        if (london()) return;
        assertEq(address(a).codehash, address(guard).codehash);
        assertEq(address(b).codehash, address(executor).codehash);
    }

    function test_I15_gas_of_a_swap_stays_in_bounds() public {
        address pool = v2Pair(address(tokenIn), address(tokenOut), 1e27);
        address poolV3 = v3Pool(address(tokenIn), address(tokenOut), 3000, 1e27);
        bytes memory program = Programs.v2(
            Programs.PULL | Programs.TO_GUARD | zeroForOne(pool, address(tokenIn)),
            Programs.pull(1e18),
            address(tokenIn),
            pool,
            3000
        );
        bytes memory programV3 = Programs.v3Pulled(
            Programs.PULL | Programs.TO_GUARD | zeroForOne(poolV3, address(tokenIn)), Programs.pull(1e18), poolV3
        );
        IGuard.Order memory order = orderOf(1e18, 1);
        order.executor = address(executor);
        // Once to warm everything up: what remains is the contracts' own work.
        swap(order, program);
        swap(order, programV3);
        // For the london build too: a storage word that this transaction has changed before costs what a transient one does.
        assertLt(gasOf(order, program), GAS_V2);
        assertLt(gasOf(order, programV3), GAS_V3);
    }

    /// @dev Measured warm plus 3 %: a change that costs more has to say so here.
    uint256 internal constant GAS_V2 = 66_500;
    uint256 internal constant GAS_V3 = 55_200;

    function gasOf(IGuard.Order memory order, bytes memory program) internal returns (uint256 used) {
        vm.prank(user);
        used = gasleft();
        guard.swap(order, program);
        used -= gasleft();
        emit log_named_uint("gas", used);
    }
}
