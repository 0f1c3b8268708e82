// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Programs} from "../support/Programs.sol";
import {IExecutor} from "../../src/interfaces/IExecutor.sol";
import {Arena} from "../support/Arena.sol";
import {Recorder, Tape} from "../support/Recorder.sol";

/// @notice Invariant 10: bytes that nobody would write. contracts/test/decoder.test.ts holds the differential half, against the
///   reference decoder.
contract DecoderInvariants is Arena {
    address internal constant EVERYWHERE = 0x2000000000000000000000000000000000000001;
    Tape internal tape;

    function setUp() public override {
        super.setUp();
        tape = new Tape();
        vm.etch(EVERYWHERE, address(new Recorder(tape)).code);
    }

    /// @dev Whatever the bytes, the functions called are of the closed set.
    function testFuzz_I10_any_bytes_call_functions_of_the_fixed_set_alone(uint8 opcode, uint8 flags, bytes calldata noise)
        public
    {
        bytes memory program = abi.encodePacked(opcode % 15, flags, noise);
        // Every address that the bytes can name answers and writes down: fill the noise with one that does.
        for (uint256 at = 2; at + 20 <= program.length; ++at) {
            if (uint8(program[at]) % 23 != 0) continue;
            for (uint256 k; k < 20; ++k) program[at + k] = bytes20(EVERYWHERE)[k];
            at += 19;
        }
        try executor.execute(Programs.task(address(this)), program) {} catch {}
        while (!tape.ended()) {
            (,, bytes memory data) = tape.next();
            assertTrue(data.length == 0 || allowed(bytes4(data)), "a function outside of the set");
        }
    }

    function allowed(bytes4 name) internal pure returns (bool) {
        string[22] memory names = [
            "transfer(address,uint256)",
            "approve(address,uint256)",
            "swap(uint256,uint256,address,bytes)",
            "swap(address,bool,int256,uint160,bytes)",
            "deposit()",
            "withdraw(uint256)",
            "unlock(bytes)",
            "swap((address,address,uint24,int24,address),(bool,int256,uint160),bytes)",
            "sync(address)",
            "settle()",
            "take(address,address,uint256)",
            "exchange(int128,int128,uint256,uint256)",
            "exchange(uint256,uint256,uint256,uint256)",
            "exchange_received(int128,int128,uint256,uint256,address)",
            "exchange_received(uint256,uint256,uint256,uint256,address)",
            "batchSwap(uint8,(bytes32,uint256,uint256,uint256,bytes)[],address[],(address,bool,address,bool),int256[],uint256)",
            "swap(bool,address)",
            "deposit(uint256,address)",
            "redeem(uint256,address,address)",
            "wrap(uint256)",
            "unwrap(uint256)",
            "sellBase(address)"
        ];
        for (uint256 k; k < names.length; ++k) {
            if (name == bytes4(keccak256(bytes(names[k])))) return true;
        }
        return name == bytes4(keccak256("sellQuote(address)"));
    }

    function testFuzz_I10_a_step_cut_short_reverts_before_it_acts(uint8 opcode, uint8 flags, uint16 cut) public {
        opcode = uint8(bound(opcode, 1, 13));
        // One hop where hops are counted, so that every field but the last byte is there.
        bytes memory program = abi.encodePacked(opcode, flags);
        uint256 length = 2 + uint256(cut) % 20;
        program = bytes.concat(program, new bytes(length - 2));
        vm.expectRevert();
        executor.execute(Programs.task(address(this)), program);
        assertTrue(tape.ended());
    }

    function testFuzz_I10_an_unknown_opcode_is_named(uint8 opcode, bytes calldata rest) public {
        vm.assume(opcode == 0 || opcode > 13);
        // The program begins at byte 164 of the calldata.
        vm.expectRevert(abi.encodeWithSelector(IExecutor.UnknownOpcode.selector, 164, uint256(opcode)));
        executor.execute(Programs.task(address(this)), abi.encodePacked(opcode, rest));
    }

    function test_I10_an_empty_program_does_nothing() public {
        executor.execute(Programs.task(address(this)), "");
        assertTrue(tape.ended());
    }
}
