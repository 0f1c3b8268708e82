// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Getters of a pool of Ramses CL without positions. The factory sets the fee that swaps take, without a log.
contract RamsesPool {
    /// Fee at the creation of the pool.
    uint24 public constant fee = 3000;
    int24 public constant tickSpacing = 60;
    uint128 public constant liquidity = 0;
    uint24 public currentFee = 3000;

    function slot0() external pure returns (uint160 sqrtPriceX96, int24 tick) {
        return (1 << 96, 0);
    }

    function tickBitmap(int16) external pure returns (uint256) {
        return 0;
    }

    function setFee(uint24 newFee) external {
        currentFee = newFee;
    }
}

/// A factory that returns one pool for every pair, at the initial fee of the pool.
contract RamsesFactory {
    RamsesPool public immutable pool = new RamsesPool();

    function feeAmountTickSpacing(uint24 fee) external pure returns (int24) {
        return fee == 3000 ? int24(60) : int24(0);
    }

    function getPool(address, address, uint24) external view returns (RamsesPool) {
        return pool;
    }
}
