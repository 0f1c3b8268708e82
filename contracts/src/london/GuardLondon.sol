// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {GuardCore} from "../core/GuardCore.sol";
import {StorageSlots} from "../slots/StorageSlots.sol";

/// @title GuardLondon
/// @notice The london build, for chains that lack PUSH0, TSTORE or MCOPY: see GuardCore. Storage serves for its slots.
contract GuardLondon is GuardCore, StorageSlots {}
