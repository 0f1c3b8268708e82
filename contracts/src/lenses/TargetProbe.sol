// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SwapProbe} from "./SwapProbe.sol";

/// @title TargetProbe
/// @notice Runs a swap for a sender that is left as it is; never deployed.
/// @dev A second opinion for senders without code: some tokens refuse contracts, and SwapProbe makes the sender look like one.
///   Stands behind a minimal proxy at the target, whose own code it asks for everything but the call that starts it. The
///   sender cannot approve or be lent anything here.
contract TargetProbe is SwapProbe {
    /// @notice Only for the eth_call itself.
    function runHere(Order calldata order, bytes calldata data) external payable returns (Report memory report) {
        if (msg.sender != tx.origin) _askOriginal();
        report.before = _peek(order);
        report.gasBefore = gasleft();
        (report.success, report.gasUsed, report.returnSize, report.returnData) = _measure(order, data, true);
        _conclude(report, order);
    }
}
