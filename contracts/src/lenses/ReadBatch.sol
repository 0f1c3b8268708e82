// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ReadRunner} from "./ReadRunner.sol";

/// @title ReadBatch
/// @notice Many reads in one eth_call; never deployed: its code is put at a spare address by a state override.
contract ReadBatch {
    function run(ReadRunner.Read[] memory reads) external returns (ReadRunner.Answer[] memory) {
        return ReadRunner.run(reads);
    }
}
