// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Contracts that the first factory of Slipstream asks before there is anything: a voter without gauges, which is its own
/// registry of factories, and an earlier factory without pools.
contract SlipstreamBeginnings {
    function factoryRegistry() external view returns (address) {
        return address(this);
    }

    function gauges(address) external pure returns (address) {
        return address(0);
    }

    function isAlive(address) external pure returns (bool) {
        return false;
    }

    function getPool(address, address, int24) external pure returns (address) {
        return address(0);
    }
}
