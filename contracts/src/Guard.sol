// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {GuardCore} from "./core/GuardCore.sol";
import {TransientSlots} from "./slots/TransientSlots.sol";

/// @title Guard
/// @notice The cancun build: see GuardCore. It has no storage.
contract Guard is GuardCore, TransientSlots {}
