// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Programs} from "../support/Programs.sol";
import {IExecutor} from "../../src/interfaces/IExecutor.sol";
import {Program} from "../../src/libraries/Program.sol";
import {Arena} from "../support/Arena.sol";
import {Recorder, Tape} from "../support/Recorder.sol";

/// @notice Invariant 10: malformed bytes. contracts/test/decoder.test.ts has the differential test with the reference decoder.
contract DecoderInvariants is Arena {
    address internal constant EVERYWHERE = 0x2000000000000000000000000000000000000001;
    Tape internal tape;

    function setUp() public override {
        super.setUp();
        tape = new Tape();
        vm.etch(EVERYWHERE, address(new Recorder(tape)).code);
    }

    /// @dev For any bytes, the Executor calls only functions of the closed set.
    function testFuzz_I10_any_bytes_call_functions_of_the_fixed_set_alone(uint8 opcode, uint8 flags, bytes calldata noise)
        public
    {
        bytes memory program = abi.encodePacked(opcode % 32, flags, noise);
        // Every address that the bytes can name responds and records its calls: fills the noise with such an address.
        for (uint256 at = 2; at + 20 <= program.length; ++at) {
            if (uint8(program[at]) % 23 != 0) continue;
            for (uint256 k; k < 20; ++k) program[at + k] = bytes20(EVERYWHERE)[k];
            at += 19;
        }
        vm.prank(address(guard));
        (bool ok,) = address(executor).call(Programs.execution(Programs.task(address(this)), program));
        ok;
        while (!tape.ended()) {
            (,, bytes memory data) = tape.next();
            assertTrue(data.length == 0 || allowed(bytes4(data)), "a function outside of the set");
        }
    }

    function allowed(bytes4 name) internal pure returns (bool) {
        string[45] memory names = [
            "transfer(address,uint256)",
            "approve(address,uint256)",
            "swap(uint256,uint256,address,bytes)",
            "swap(address,bool,int256,uint160,bytes)",
            "swap(address,int256,bool,uint160,bytes)",
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
            "sellBase(address)",
            "swapX2Y(address,uint128,int24,bytes)",
            "swapY2X(address,uint128,int24,bytes)",
            "deposit(address,address)",
            "swap(bytes,address,address,bytes)",
            "swap(address,address,uint256,uint256,address,address)",
            "swapIn(bool,uint256,uint256,address)",
            "sellGem(address,uint256)",
            "buyGem(address,uint256)",
            "lock()",
            "startPayments()",
            "completePayments()",
            "withdraw()",
            "swapExactAmountIn(address,uint256,address,uint256,uint256)",
            "sellAsset(uint256,address)",
            "buyAsset(uint256,address)",
            "supply(address,uint256,address,uint16)",
            "withdraw(address,uint256,address)",
            "erc4626BufferWrapOrUnwrap((uint8,uint8,address,uint256,uint256))",
            "userCmd(uint16,bytes)",
            "swap(address,address,uint256,uint256,address,uint256)",
            "swap(address,(uint256,bool,bool,int32),bytes)",
            "swapExactIn(address,address,uint256,uint256,address,uint256)"
        ];
        for (uint256 k; k < names.length; ++k) {
            if (name == bytes4(keccak256(bytes(names[k])))) return true;
        }
        // Ekubo's core swaps with a selector of zeros.
        return name == bytes4(keccak256("sellQuote(address)")) || name == 0;
    }

    /// @dev Bytes of a step without hops, by the table in libraries/Program.sol.
    function lengthOf(uint8 opcode, uint8 flags) internal pure returns (uint256 length) {
        uint8[33] memory fields = [
            23, 20, 20, 0, 21, 20, 43, 21, 21, 20, 20, 20, 20, 21, 20, 40,
            20, 40, 40, 40, 21, 0, 40, 40, 40, 0, 0, 40, 44, 40, 20, 20, 40
        ];
        uint8[6] memory amounts = [0, 3, 16, 0, 16, 0];
        length = 2 + uint256(amounts[flags & 7]) + fields[opcode - 1];
        // A wrap has no input token, and neither does a step that pulls.
        if (opcode != 0x03 && flags & 4 == 0) length += 20;
        if (flags & 0x10 != 0) length += 20;
    }

    function testFuzz_I10_a_step_cut_short_reverts_before_it_acts(uint8 opcode, uint8 flags, uint256 cut) public {
        opcode = uint8(bound(opcode, 1, 33));
        vm.assume(opcode != 0x16 && opcode != 0x1a && opcode != 0x1b);
        uint8 input = flags % 6;
        // Native token is wrapped from the balance, never pulled.
        if (opcode == 0x03) input = input % 3;
        flags = (flags & 0xe0) | ((flags >> 3) % 3) << 3 | input;
        cut = bound(cut, 1, lengthOf(opcode, flags) - 1);
        // Bytes that were cut off read as zeros: with one byte the flags too.
        uint256 needed = lengthOf(opcode, cut == 1 ? 0 : flags);
        // Every address in the rest would record a call.
        bytes memory program = new bytes(cut);
        bytes memory whole = abi.encodePacked(opcode, flags, filling(opcode, flags));
        for (uint256 k; k < cut; ++k) program[k] = whole[k];
        vm.expectRevert(abi.encodeWithSelector(IExecutor.ProgramTooShort.selector, 100 + needed, 100 + cut));
        run(Programs.task(address(this)), program);
        assertTrue(tape.ended());
    }

    /// @dev Bytes after the header: addresses, and zeros for the amount and for numbers, so that there are no hops.
    function filling(uint8 opcode, uint8 flags) internal pure returns (bytes memory) {
        uint8[6] memory amounts = [0, 3, 16, 0, 16, 0];
        bytes memory amount = new bytes(amounts[flags & 7]);
        bytes memory token = opcode != 0x03 && flags & 4 == 0 ? abi.encodePacked(EVERYWHERE) : bytes("");
        bytes memory fields = opcode == 0x07
            ? abi.encodePacked(uint24(0), EVERYWHERE, EVERYWHERE)
            : opcode == 0x10 || (opcode >= 0x12 && opcode != 0x15 && opcode < 0x1f) || opcode == 0x21
                ? abi.encodePacked(EVERYWHERE, EVERYWHERE, opcode == 0x1d ? new bytes(4) : bytes(""))
                : opcode == 0x04 ? bytes("") : abi.encodePacked(EVERYWHERE, uint24(0));
        return bytes.concat(amount, token, fields, abi.encodePacked(EVERYWHERE));
    }

    function testFuzz_I10_an_unknown_opcode_is_named(uint8 opcode, bytes calldata rest) public {
        vm.assume(opcode == 0 || opcode == 0x16 || opcode == 0x1a || opcode == 0x1b || opcode > Program.PSM3);
        // The program begins at byte 100 of the calldata.
        vm.expectRevert(abi.encodeWithSelector(IExecutor.UnknownOpcode.selector, 100, uint256(opcode)));
        run(Programs.task(address(this)), abi.encodePacked(opcode, rest));
    }

    function test_I10_an_empty_program_does_nothing() public {
        run(Programs.task(address(this)), "");
        assertTrue(tape.ended());
    }
}
