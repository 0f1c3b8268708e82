// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IAlgebraFactory} from "../interfaces/IAlgebraFactory.sol";
import {IAlgebraIntegralPoolState} from "../interfaces/IAlgebraIntegralPoolState.sol";

/// @title AlgebraIntegralLens
/// @notice Finds and reads Algebra Integral pools; never deployed.
contract AlgebraIntegralLens {
    int24 private constant MIN_TICK = -887272;
    int24 private constant MAX_TICK = 887272;

    struct State {
        uint160 sqrtPriceX96;
        int24 tick;
        uint128 liquidity;
        uint24 feePpm;
        int24 tickSpacing;
        /// Two words a tick, rising: its index, then gross liquidity in the high and net liquidity in the low half.
        uint256[] ticks;
    }

    /// @notice The pools of `tokens`, taken two by two; zero where there is none.
    function find(address factory, address[] calldata tokens) external view returns (address[] memory pools) {
        pools = new address[](tokens.length / 2);
        for (uint256 i = 0; i < pools.length; ++i) {
            (bool ok, bytes memory data) =
                factory.staticcall(abi.encodeCall(IAlgebraFactory.poolByPair, (tokens[2 * i], tokens[2 * i + 1])));
            if (ok && data.length >= 32) pools[i] = address(uint160(uint256(bytes32(data))));
        }
    }

    function read(IAlgebraIntegralPoolState pool) external view returns (State memory state) {
        (state.sqrtPriceX96, state.tick, state.feePpm,,,) = pool.globalState();
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
