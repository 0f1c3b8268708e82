// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Contracts that the first factory of Slipstream calls: a voter without gauges, its registry of factories, and an
/// earlier factory without pools.
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
