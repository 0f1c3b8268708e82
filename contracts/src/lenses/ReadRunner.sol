// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title ReadRunner
/// @notice Runs reads in sequence; shared by the two kinds of batches.
library ReadRunner {
    /// @dev A call of a contract.
    struct Read {
        address to;
        bytes data;
    }

    /// @dev Return data, or revert data if `ok` is false.
    struct Answer {
        bool ok;
        bytes data;
    }

    /// @notice A read used up the gas, or has too little gas left: send fewer reads per batch.
    error OutOfGas(uint256 index);

    /// @dev Minimum part of the gas, as a divisor. Reads within their limits leave more.
    uint256 private constant MIN_GAS_PART = 4;

    /// @dev Returns the results of reads. Uses calls instead of static calls, because some lenses try state changes and
    ///   undo them. A lens treats a call that runs out of gas as a revert, and may succeed with a wrong result. So no
    ///   read starts with too little gas because of earlier reads.
    function run(Read[] memory reads) internal returns (Answer[] memory answers) {
        answers = new Answer[](reads.length);
        uint256 minGas = gasleft() / MIN_GAS_PART;
        for (uint256 i = 0; i < reads.length; ++i) {
            uint256 gasBefore = gasleft();
            if (i != 0 && gasBefore < minGas) revert OutOfGas(i);
            (bool ok, bytes memory data) = reads[i].to.call(reads[i].data);
            // A call that runs out of gas leaves 1/64 for each frame around it.
            if (!ok && gasleft() < gasBefore / MIN_GAS_PART) revert OutOfGas(i);
            answers[i] = Answer(ok, data);
        }
    }
}
