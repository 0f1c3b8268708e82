// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ISlipstreamFactory} from "../interfaces/ISlipstreamFactory.sol";
import {ISolidlyV3Pool} from "../interfaces/ISolidlyV3Pool.sol";
import {IUniswapV3Factory} from "../interfaces/IUniswapV3Factory.sol";
import {IUniswapV3PoolState} from "../interfaces/IUniswapV3PoolState.sol";
import {BitmapReader} from "./BitmapReader.sol";

/// @title ConcentratedLens
/// @notice Finds and reads pools with a tick bitmap, through their getters; never deployed.
contract ConcentratedLens is BitmapReader {
    struct State {
        uint160 sqrtPriceX96;
        int24 tick;
        uint128 liquidity;
        uint24 feePpm;
        int24 tickSpacing;
    }

    /// @dev The pool has no price yet.
    error NotInitialized(address pool);

    /// @notice Finds pools of a factory for `tokens` (consecutive pairs), and for each fee: all fees of the first pair,
    ///   then of the next. Zero if there is no pool.
    function find(address factory, address[] calldata tokens, uint24[] calldata fees)
        external
        view
        returns (address[] memory pools)
    {
        uint256 pairs = tokens.length / 2;
        pools = new address[](pairs * fees.length);
        for (uint256 f = 0; f < fees.length; ++f) {
            (bool ok, uint256 spacing,) =
                _read(factory, IUniswapV3Factory.feeAmountTickSpacing.selector, int256(uint256(fees[f])));
            if (!ok || spacing == 0) continue;
            for (uint256 i = 0; i < pairs; ++i) {
                pools[i * fees.length + f] = _address(
                    factory,
                    abi.encodeCall(IUniswapV3Factory.getPool, (tokens[2 * i], tokens[2 * i + 1], fees[f]))
                );
            }
        }
    }

    /// @notice Like `find`, for a factory whose pools differ by tick spacing.
    function findByTickSpacing(address factory, address[] calldata tokens, int24[] calldata spacings)
        external
        view
        returns (address[] memory pools)
    {
        uint256 pairs = tokens.length / 2;
        pools = new address[](pairs * spacings.length);
        for (uint256 i = 0; i < pools.length; ++i) {
            uint256 p = i / spacings.length;
            pools[i] = _address(
                factory,
                abi.encodeCall(
                    ISlipstreamFactory.getPool, (tokens[2 * p], tokens[2 * p + 1], spacings[i % spacings.length])
                )
            );
        }
    }

    /// @dev Returns the address that a getter returns; zero if the call fails.
    function _address(address target, bytes memory call) private view returns (address) {
        (bool ok, bytes memory data) = target.staticcall(call);
        return ok && data.length >= 32 ? address(uint160(uint256(bytes32(data)))) : address(0);
    }

    /// @notice Returns the state of a pool without its ticks.
    function read(address pool) external view returns (State memory state) {
        (uint256 word, uint256 second) = _need(pool, IUniswapV3PoolState.slot0.selector, 0);
        if (word == 0) revert NotInitialized(pool);
        state.sqrtPriceX96 = uint160(word);
        state.tick = int24(int256(second));
        (word,) = _need(pool, IUniswapV3PoolState.liquidity.selector, 0);
        state.liquidity = uint128(word);
        bool moves;
        (moves, word,) = _read(pool, IUniswapV3PoolState.currentFee.selector, 0);
        if (!moves) (word,) = _need(pool, IUniswapV3PoolState.fee.selector, 0);
        state.feePpm = uint24(word);
        (word,) = _need(pool, IUniswapV3PoolState.tickSpacing.selector, 0);
        state.tickSpacing = int24(int256(word));
    }

    /// @notice Like `read`, for a pool of Solidly V3, which has no getter of its fee.
    function readSolidlyV3(address pool) external view returns (State memory state) {
        (state.sqrtPriceX96, state.tick, state.feePpm,) = ISolidlyV3Pool(pool).slot0();
        if (state.sqrtPriceX96 == 0) revert NotInitialized(pool);
        (uint256 word,) = _need(pool, IUniswapV3PoolState.liquidity.selector, 0);
        state.liquidity = uint128(word);
        (word,) = _need(pool, IUniswapV3PoolState.tickSpacing.selector, 0);
        state.tickSpacing = int24(int256(word));
    }

    /// @notice Returns the initialized ticks in the bitmap words `first` to `last`, encoded by `BitmapReader`.
    function ticks(address pool, int24 spacing, int16 first, int16 last)
        external
        view
        returns (uint256[] memory words)
    {
        return _ticks(
            pool, IUniswapV3PoolState.tickBitmap.selector, IUniswapV3PoolState.ticks.selector, spacing, first, last
        );
    }
}
