// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title EnvironmentProbe
/// @notice Reports the environment of an eth_call; any answer at all shows that the node overrides code. Never deployed.
contract EnvironmentProbe {
    function read()
        external
        view
        returns (address coinbase, uint256 gasLeft, uint256 number, uint256 timestamp)
    {
        return (block.coinbase, gasleft(), block.number, block.timestamp);
    }
}
