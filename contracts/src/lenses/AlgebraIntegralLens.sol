// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAlgebraFactory} from "../interfaces/IAlgebraFactory.sol";
import {IAlgebraIntegralPoolState} from "../interfaces/IAlgebraIntegralPoolState.sol";
import {IUniswapV3Pool} from "../interfaces/IUniswapV3Pool.sol";

/// @title AlgebraIntegralLens
/// @notice Reads Algebra Integral pools, and tries swaps in those whose plugin sets the fee; never deployed.
contract AlgebraIntegralLens {
    int24 private constant MIN_TICK = -887272;
    int24 private constant MAX_TICK = 887272;
    /// @dev Bits of `pluginConfig`: the pool calls the plugin before a swap; the plugin manages the fee.
    uint8 private constant PLUGIN_SETS_FEE = 1 | 1 << 7;
    /// @dev Larger than the input of any pool up to its price limit.
    int256 private constant PLENTY = 1 << 127;

    struct State {
        uint160 sqrtPriceX96;
        int24 tick;
        uint128 liquidity;
        uint24 feePpm;
        int24 tickSpacing;
        /// True if the plugin may change the fee during the swap.
        bool pluginSetsFee;
        /// Two words per tick, ascending: its index, then gross liquidity in the high and net liquidity in the low
        /// half.
        uint256[] ticks;
    }

    /// @notice Finds the pools of custom deployers for `tokens` (consecutive pairs): those of the first deployer, then
    ///   of the next; zero if there is no pool.
    function findCustom(IAlgebraFactory factory, address[] calldata deployers, address[] calldata tokens)
        external
        view
        returns (address[] memory pools)
    {
        uint256 pairs = tokens.length / 2;
        pools = new address[](deployers.length * pairs);
        for (uint256 d; d < deployers.length; ++d) {
            for (uint256 i; i < pairs; ++i) {
                try factory.customPoolByPair(deployers[d], tokens[2 * i], tokens[2 * i + 1]) returns (address pool) {
                    pools[d * pairs + i] = pool;
                } catch {}
            }
        }
    }

    /// @notice Returns the state of a pool with all of its initialized ticks.
    function read(IAlgebraIntegralPoolState pool) external view returns (State memory state) {
        (uint160 price, int24 tick, uint16 lastFee, uint8 pluginConfig,,) = pool.globalState();
        (state.sqrtPriceX96, state.tick, state.feePpm) = (price, tick, lastFee);
        state.pluginSetsFee = pluginConfig & PLUGIN_SETS_FEE != 0;
        // The first release has no such getter; its last fee applies until it changes.
        try pool.fee() returns (uint16 fee) {
            state.feePpm = fee;
        } catch {}
        state.liquidity = pool.liquidity();
        state.tickSpacing = pool.tickSpacing();
        // The ticks are a linked list from the lowest to the highest tick, which have no liquidity.
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

    /// @notice Returns the inputs, including the fee, that move the pool to two prices. The caller derives the current
    ///   fee from them.
    /// @return pluginSetsFee False if the fee is known without swaps; both amounts are zero then.
    /// @return paid0 Input of the first token that moves the price down to `lower`; zero if the swap fails.
    /// @return paid1 Input of the second token that moves the price up to `upper`.
    function probe(IAlgebraIntegralPoolState pool, uint160 lower, uint160 upper)
        external
        returns (bool pluginSetsFee, uint256 paid0, uint256 paid1)
    {
        (,,, uint8 pluginConfig,,) = pool.globalState();
        pluginSetsFee = pluginConfig & PLUGIN_SETS_FEE != 0;
        if (!pluginSetsFee) return (false, 0, 0);
        paid0 = _paid(address(pool), true, lower);
        paid1 = _paid(address(pool), false, upper);
    }

    /// @dev Returns the input of a swap up to a price. The pool requests the payment in a callback, whose revert undoes
    ///   the swap and returns the amount.
    function _paid(address pool, bool zeroForOne, uint160 limit) private returns (uint256 paid) {
        try IUniswapV3Pool(pool).swap(address(this), zeroForOne, PLENTY, limit, "") {}
        catch (bytes memory word) {
            if (word.length == 32) paid = abi.decode(word, (uint256));
        }
    }

    /// @dev The pool's callback with any name: `(int256 amount0, int256 amount1, bytes data)`; the positive amount is
    ///   owed.
    fallback() external {
        assembly ("memory-safe") {
            let amount0 := calldataload(4)
            let amount1 := calldataload(36)
            mstore(0x00, amount0)
            if slt(amount0, amount1) { mstore(0x00, amount1) }
            revert(0x00, 0x20)
        }
    }

    /// @dev Returns the next initialized tick above `tick`.
    function _next(IAlgebraIntegralPoolState pool, int24 tick) private view returns (int24 next) {
        (,,, next,,) = pool.ticks(tick);
    }
}
