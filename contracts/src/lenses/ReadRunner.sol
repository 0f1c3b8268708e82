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

    /// @notice A read used up the gas, so that those after it say nothing: ask for fewer at once.
    error OutOfGas(uint256 index);

    /// @dev Calls and not static ones: some lenses find out by trying, and undo it themselves.
    function run(Read[] memory reads) internal returns (Answer[] memory answers) {
        answers = new Answer[](reads.length);
        for (uint256 i = 0; i < reads.length; ++i) {
            uint256 gasBefore = gasleft();
            (bool ok, bytes memory data) = reads[i].to.call(reads[i].data);
            // A call is given all but a 64th: when hardly more than that is left, it has burnt all it had.
            if (!ok && gasleft() < gasBefore / 32) revert OutOfGas(i);
            answers[i] = Answer(ok, data);
        }
    }
}
