// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ReadRunner} from "./ReadRunner.sol";

/// @title PlainReadBatch
/// @notice Runs many reads in one eth_call of a node that does not support code overrides. The call is a contract
///   creation that is never sent: its constructor creates the lenses and runs the reads, and the created code is the
///   result.
contract PlainReadBatch {
    struct Lens {
        /// Address at which the reads expect the lens.
        address at;
        bytes code;
    }

    /// @notice The results in a revert, because they are longer than the maximum code size of a contract.
    error Answers(bytes answers);

    /// @dev Bytes (EIP-170).
    uint256 private constant MAX_CODE_SIZE = 24_576;
    /// @dev PUSH1 11 MSIZE DUP2 CODESIZE SUB DUP1 SWAP3 MSIZE CODECOPY RETURN: returns the code that follows.
    bytes11 private constant RETURN_REST = 0x600b5981380380925939f3;

    /// @param lenses Lenses to create. Reads of their addresses go to the created contracts.
    constructor(Lens[] memory lenses, ReadRunner.Read[] memory reads) {
        for (uint256 i = 0; i < lenses.length; ++i) {
            bytes memory creation = abi.encodePacked(RETURN_REST, lenses[i].code);
            address lens;
            assembly ("memory-safe") {
                lens := create(0, add(creation, 32), mload(creation))
            }
            for (uint256 j = 0; j < reads.length; ++j) {
                if (reads[j].to == lenses[i].at) reads[j].to = lens;
            }
        }
        bytes memory answers = abi.encode(ReadRunner.run(reads));
        if (answers.length > MAX_CODE_SIZE) revert Answers(answers);
        assembly ("memory-safe") {
            return(add(answers, 32), mload(answers))
        }
    }
}
