// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ExecutorCore} from "../core/ExecutorCore.sol";
import {StorageSlots} from "../slots/StorageSlots.sol";

/// @title ExecutorLondon
/// @notice The london build, for chains that lack PUSH0, TSTORE or MCOPY: see ExecutorCore. Storage serves for its slots.
contract ExecutorLondon is ExecutorCore, StorageSlots {
    constructor(address guard) ExecutorCore(guard) {}
}
