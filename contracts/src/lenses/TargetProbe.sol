// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SwapProbe} from "./SwapProbe.sol";

/// @title TargetProbe
/// @notice Runs a swap without changes to the sender's account; never deployed.
/// @dev A second simulation for senders without code: some tokens reject contracts, and SwapProbe makes the sender look
///   like one. Runs behind a minimal proxy at the target, and forwards all calls except its entry to the target's own
///   code. It cannot give the sender tokens or approvals.
contract TargetProbe is SwapProbe {
    /// @notice Runs the swap. Only for the eth_call itself: other calls go to the target's own code if it has code.
    function runHere(Order calldata order, bytes calldata data) external payable returns (Report memory report) {
        if (msg.sender != tx.origin) _callOriginal();
        report.before = _peek(order);
        report.gasBefore = gasleft();
        (report.success, report.gasUsed, report.returnSize, report.returnData) = _measure(order, data, true);
        _conclude(report, order);
    }
}
