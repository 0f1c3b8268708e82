// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IKyberElasticFactory, IKyberElasticState} from "../interfaces/IKyberElastic.sol";

/// @title KyberElasticLens
/// @notice Finds kyber-elastic pools and reads them, with the ticks around their price, through their getters; never
///   deployed.
contract KyberElasticLens {
    struct State {
        uint160 sqrtPriceX96;
        int24 tick;
        uint128 liquidity;
        uint128 reinvestedLiquidity;
        /// Parts per 100,000.
        uint24 feeUnits;
        int24 tickSpacing;
        /// Initialized ticks that limit the range that was read.
        int24 lowest;
        int24 highest;
    }

    int24 private constant MAX_TICK = 887272;

    /// @dev The pool has no price yet.
    error NotInitialized(address pool);

    /// @notice Finds pools of a factory for `tokens` (consecutive pairs), and for each fee: all fees of the first pair,
    ///   then of the next. Zero if there is no pool.
    function find(IKyberElasticFactory factory, address[] calldata tokens, uint24[] calldata fees)
        external
        view
        returns (address[] memory pools)
    {
        uint256 pairs = tokens.length / 2;
        pools = new address[](pairs * fees.length);
        for (uint256 f = 0; f < fees.length; ++f) {
            if (factory.feeAmountTickDistance(fees[f]) == 0) continue;
            for (uint256 i = 0; i < pairs; ++i) {
                pools[i * fees.length + f] = factory.getPool(tokens[2 * i], tokens[2 * i + 1], fees[f]);
            }
        }
    }

    /// @notice Returns the state of a pool, with at most `limit` ticks on each side of its price.
    /// @return state The pool without its ticks.
    /// @return falling The ticks at and below the price, nearest first, two words per tick: its index, then gross
    ///   liquidity in the high and net liquidity in the low half.
    /// @return rising The ticks above the price, nearest first.
    function read(IKyberElasticState pool, uint256 limit)
        external
        view
        returns (State memory state, uint256[] memory falling, uint256[] memory rising)
    {
        int24 nearest;
        (state.sqrtPriceX96, state.tick, nearest,) = pool.getPoolState();
        if (state.sqrtPriceX96 == 0) revert NotInitialized(address(pool));
        (state.liquidity, state.reinvestedLiquidity,) = pool.getLiquidityState();
        state.feeUnits = pool.swapFeeUnits();
        state.tickSpacing = pool.tickDistance();
        (falling, state.lowest) = _side(pool, nearest, -1, limit);
        (bool linked,, int24 next) = _links(pool, nearest);
        if (linked) (rising, state.highest) = _side(pool, next, 1, limit);
        else state.highest = nearest;
    }

    /// @dev Returns the neighbors of a tick. An initialized tick has two neighbors. If they are missing, the node has
    ///   only a part of the pool's storage.
    function _links(IKyberElasticState pool, int24 tick) private view returns (bool linked, int24 previous, int24 next) {
        (previous, next) = pool.initializedTicks(tick);
        linked = previous != next;
    }

    /// @dev Returns the ticks from `tick` on, downwards if `sign` is negative, and the tick at which they end.
    function _side(IKyberElasticState pool, int24 tick, int24 sign, uint256 limit)
        private
        view
        returns (uint256[] memory words, int24 end)
    {
        words = new uint256[](2 * limit);
        uint256 count;
        for (; tick != sign * MAX_TICK && count < 2 * limit; count += 2) {
            (bool linked, int24 previous, int24 next) = _links(pool, tick);
            (uint128 gross, int128 net,,) = pool.ticks(tick);
            if (!linked || gross == 0) break;
            words[count] = uint256(int256(tick));
            words[count + 1] = uint256(gross) << 128 | uint128(net);
            tick = sign < 0 ? previous : next;
        }
        end = tick;
        assembly ("memory-safe") {
            mstore(words, count)
        }
    }
}
