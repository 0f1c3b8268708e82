// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title EnvironmentProbe
/// @notice Reports the environment of an eth_call; a successful call shows that the node supports code overrides. Never
///   deployed.
contract EnvironmentProbe {
    /// @notice Returns the beneficiary of the block, the remaining gas, the block number, and its Unix time in seconds.
    function read()
        external
        view
        returns (address coinbase, uint256 gasLeft, uint256 number, uint256 timestamp)
    {
        return (block.coinbase, gasleft(), block.number, block.timestamp);
    }
}
