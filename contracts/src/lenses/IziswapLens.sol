// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IIziswapFactory, IIziswapState} from "../interfaces/IIziswap.sol";
import {BitmapReader} from "./BitmapReader.sol";

/// @title IziswapLens
/// @notice Finds iziswap pools and reads them through their getters; never deployed.
contract IziswapLens is BitmapReader {
    struct State {
        uint160 sqrtPriceX96;
        int24 point;
        uint128 liquidity;
        uint128 liquidityX;
        uint24 feePpm;
        int24 pointDelta;
    }

    /// @dev The pool has no price yet.
    error NotInitialized(address pool);

    /// @notice Finds pools for `tokens` (consecutive pairs), and for each fee: all fees of the first pair, then of the
    ///   next. Zero if there is no pool.
    /// @param from A factory, or a contract with a getter for it.
    function find(address from, address[] calldata tokens, uint24[] calldata fees)
        external
        view
        returns (address[] memory pools)
    {
        (bool named, uint256 word,) = _read(from, IIziswapFactory.factory.selector, 0);
        IIziswapFactory factory = IIziswapFactory(named ? address(uint160(word)) : from);
        uint256 pairs = tokens.length / 2;
        pools = new address[](pairs * fees.length);
        for (uint256 f = 0; f < fees.length; ++f) {
            if (factory.fee2pointDelta(fees[f]) == 0) continue;
            for (uint256 i = 0; i < pairs; ++i) {
                pools[i * fees.length + f] = factory.pool(tokens[2 * i], tokens[2 * i + 1], fees[f]);
            }
        }
    }

    /// @notice Returns the state of a pool without its points.
    function read(IIziswapState pool) external view returns (State memory state) {
        (state.sqrtPriceX96, state.point,,,,, state.liquidity, state.liquidityX) = pool.state();
        if (state.sqrtPriceX96 == 0) revert NotInitialized(address(pool));
        state.feePpm = pool.fee();
        state.pointDelta = pool.pointDelta();
    }

    /// @notice Returns the points in the bitmap words `first` to `last`, ascending, three words per point: the point;
    ///   flags (bit 0 an endpoint, bit 1 limit orders) in the high and net liquidity in the low half; amounts of X and
    ///   of Y that orders sell, in the high and the low half.
    function points(address pool, int24 delta, int16 first, int16 last) external view returns (uint256[] memory words) {
        uint256[] memory set =
            _ticks(pool, IIziswapState.pointBitmap.selector, IIziswapState.points.selector, delta, first, last);
        words = new uint256[](set.length / 2 * 3);
        for (uint256 i = 0; i < words.length / 3; ++i) {
            int24 point = int24(int256(set[2 * i]));
            (uint256 kind,) = _need(pool, IIziswapState.orderOrEndpoint.selector, point / delta);
            words[3 * i] = set[2 * i];
            words[3 * i + 1] = kind << 128 | uint128(set[2 * i + 1]);
            if (kind & 2 == 0) continue;
            (uint128 sellingX,,,,, uint128 sellingY) = IIziswapState(pool).limitOrderData(point);
            words[3 * i + 2] = uint256(sellingX) << 128 | sellingY;
        }
    }
}
