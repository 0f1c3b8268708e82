// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title ReadRunner
/// @notice Runs reads one after the other; shared by the two ways in which a node can be asked for many at once.
library ReadRunner {
    struct Read {
        address to;
        bytes data;
    }

    struct Answer {
        bool ok;
        bytes data;
    }

    /// @notice A read has used up the gas, or has too little left: send fewer reads at once.
    error OutOfGas(uint256 index);

    /// @dev Minimum part of the gas, as a divisor. Reads that use as much as they should leave more.
    uint256 private constant MIN_GAS_PART = 4;

    /// @dev Calls and not static ones: some lenses find out by trying, and undo it themselves. A lens takes a call that runs out of
    ///   gas for a refusal and may succeed with a wrong result, so no read begins with little gas because of those before it.
    function run(Read[] memory reads) internal returns (Answer[] memory answers) {
        answers = new Answer[](reads.length);
        uint256 minGas = gasleft() / MIN_GAS_PART;
        for (uint256 i = 0; i < reads.length; ++i) {
            uint256 gasBefore = gasleft();
            if (i != 0 && gasBefore < minGas) revert OutOfGas(i);
            (bool ok, bytes memory data) = reads[i].to.call(reads[i].data);
            // A call that runs out of gas leaves a 64th for each frame around it.
            if (!ok && gasleft() < gasBefore / MIN_GAS_PART) revert OutOfGas(i);
            answers[i] = Answer(ok, data);
        }
    }
}
