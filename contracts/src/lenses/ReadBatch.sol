// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ReadRunner} from "./ReadRunner.sol";

/// @title ReadBatch
/// @notice Runs many reads in one eth_call; never deployed: a state override sets its code at an unused address.
contract ReadBatch {
    /// @notice Returns the results of `reads` in their order. Reverts with `ReadRunner.OutOfGas` if there are too many.
    function run(ReadRunner.Read[] memory reads) external returns (ReadRunner.Answer[] memory) {
        return ReadRunner.run(reads);
    }
}
