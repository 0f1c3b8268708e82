// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SwapProbe} from "./SwapProbe.sol";

/// @title AlternativesProbe
/// @notice SwapProbe for several swaps of one input, each from the same state; never deployed.
/// @dev A separate contract, because a node hashes overridden code in each call, and few quotes have alternatives.
contract AlternativesProbe is SwapProbe {
    /// @notice Runs swaps in sequence. Each swap is undone before the next one, and the accounts and slots that it
    ///   warmed are cold again.
    /// @dev Only for the eth_call itself. `order.gas` is the gas limit of each swap, if the previous ones have left
    ///   that much.
    function runEach(Order calldata order, bytes[] calldata datas) external returns (Report[] memory reports) {
        if (msg.sender != address(this) || tx.origin != address(this)) revert NotTheSender();
        _setUp(order);
        Balances memory before = _peek(order);
        reports = new Report[](datas.length);
        for (uint256 i; i < datas.length; ++i) {
            (, bytes memory answer) = address(this).call(abi.encodeCall(this.attempt, (order, datas[i])));
            if (answer.length != 0) reports[i] = abi.decode(answer, (Report));
            reports[i].before = before;
        }
    }

    /// @notice Runs one swap, and reverts with its report.
    function attempt(Order calldata order, bytes calldata data) external {
        if (msg.sender != address(this)) revert NotTheSender();
        Report memory report;
        report.gasBefore = gasleft();
        (report.success, report.gasUsed, report.returnSize, report.returnData) = _measure(order, data, false);
        _conclude(report, order);
        bytes memory answer = abi.encode(report);
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }
}
