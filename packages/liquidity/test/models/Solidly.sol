// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface PoolFactory {
    function getPool(address tokenA, address tokenB, bool stable) external view returns (address);
}

/// Getter of a Solidly factory for the pools of a genuine Velodrome V2 factory, whose volatile pools have the same math.
contract PairGetter {
    PoolFactory private immutable FACTORY;

    constructor(PoolFactory factory) {
        FACTORY = factory;
    }

    function getPair(address tokenA, address tokenB, bool stable) external view returns (address) {
        return FACTORY.getPool(tokenA, tokenB, stable);
    }
}
