// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAlgebraIntegralPoolState} from "../interfaces/IAlgebraIntegralPoolState.sol";

/// @title AlgebraIntegralLens
/// @notice Reads Algebra Integral pools; never deployed.
contract AlgebraIntegralLens {
    int24 private constant MIN_TICK = -887272;
    int24 private constant MAX_TICK = 887272;
    /// @dev Bits of `pluginConfig`: the plugin is asked before a swap, or keeps the fee itself.
    uint8 private constant PLUGIN_SETS_FEE = 1 | 1 << 7;

    struct State {
        uint160 sqrtPriceX96;
        int24 tick;
        uint128 liquidity;
        uint24 feePpm;
        int24 tickSpacing;
        /// Two words a tick, rising: its index, then gross liquidity in the high and net liquidity in the low half.
        uint256[] ticks;
    }

    /// @notice All zero for a pool whose plugin may change the fee at the swap itself: no quote of it would be exact.
    function read(IAlgebraIntegralPoolState pool) external view returns (State memory state) {
        (uint160 price, int24 tick, uint16 lastFee, uint8 pluginConfig,,) = pool.globalState();
        if (pluginConfig & PLUGIN_SETS_FEE != 0) return state;
        (state.sqrtPriceX96, state.tick, state.feePpm) = (price, tick, lastFee);
        // The first release has no such getter; its last fee holds until it is changed.
        try pool.fee() returns (uint16 fee) {
            state.feePpm = fee;
        } catch {}
        state.liquidity = pool.liquidity();
        state.tickSpacing = pool.tickSpacing();
        // The ticks are a list from the lowest to the highest, which hold no liquidity themselves.
        uint256 count = 0;
        for (int24 tick = _next(pool, MIN_TICK); tick < MAX_TICK; tick = _next(pool, tick)) {
            ++count;
        }
        state.ticks = new uint256[](2 * count);
        int24 at = MIN_TICK;
        for (uint256 i = 0; i < count; ++i) {
            at = _next(pool, at);
            (uint256 gross, int128 net,,,,) = pool.ticks(at);
            state.ticks[2 * i] = uint256(int256(at));
            state.ticks[2 * i + 1] = gross << 128 | uint128(net);
        }
    }

    function _next(IAlgebraIntegralPoolState pool, int24 tick) private view returns (int24 next) {
        (,,, next,,) = pool.ticks(tick);
    }
}
