// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title EnvironmentProbe
/// @notice Tells what an eth_call runs in, and by answering at all that the node overrides code; never deployed.
contract EnvironmentProbe {
    function read() external view returns (address coinbase, uint256 gasLeft) {
        return (block.coinbase, gasleft());
    }
}
