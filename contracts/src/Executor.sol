// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ExecutorCore} from "./core/ExecutorCore.sol";
import {TransientSlots} from "./slots/TransientSlots.sol";

/// @title Executor
/// @notice The cancun build: see ExecutorCore. It has no storage.
contract Executor is ExecutorCore, TransientSlots {
    constructor(address guard) ExecutorCore(guard) {}
}
