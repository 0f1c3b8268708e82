// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAlgebraV1PoolState} from "../interfaces/IAlgebraV1PoolState.sol";
import {IUniswapV3Pool} from "../interfaces/IUniswapV3Pool.sol";
import {IUniswapV3PoolState} from "../interfaces/IUniswapV3PoolState.sol";
import {BitmapReader} from "./BitmapReader.sol";

/// @title AlgebraV1Lens
/// @notice Reads Algebra v1 pools, with the fees of swaps at the current time; never deployed.
contract AlgebraV1Lens is BitmapReader {
    struct State {
        uint160 sqrtPriceX96;
        int24 tick;
        uint128 liquidity;
        /// Fees of a swap that sells the first token, and of one that sells the second.
        uint24 fee0Ppm;
        uint24 fee1Ppm;
        int24 tickSpacing;
    }

    /// @dev Number of words of `globalState` of pools with one fee, and of pools with a fee for each direction.
    uint256 private constant ONE_FEE = 7;
    uint256 private constant TWO_FEES = 8;

    /// @dev The pool has no price yet.
    error NotInitialized(address pool);
    /// @dev The swap that shows the fee reverted for another reason, or did not call back.
    error NoFee(address pool, bytes reason);

    /// @notice Returns the state of a pool without its ticks.
    function read(address pool) external returns (State memory state) {
        (uint256 price, uint256 tick) = _need(pool, IAlgebraV1PoolState.globalState.selector, 0);
        if (price == 0) revert NotInitialized(pool);
        (state.sqrtPriceX96, state.tick) = (uint160(price), int24(int256(tick)));
        (uint256 word,) = _need(pool, IUniswapV3PoolState.liquidity.selector, 0);
        state.liquidity = uint128(word);
        (word,) = _need(pool, IUniswapV3PoolState.tickSpacing.selector, 0);
        state.tickSpacing = int24(int256(word));
        state.fee0Ppm = _fee(pool, true, state.sqrtPriceX96 - 1);
        state.fee1Ppm = _fee(pool, false, state.sqrtPriceX96 + 1);
    }

    /// @notice Returns the initialized ticks in the words `first` to `last` of the table, encoded by `BitmapReader`.
    function ticks(address pool, int24 spacing, int16 first, int16 last)
        external
        view
        returns (uint256[] memory words)
    {
        return _ticks(
            pool, IAlgebraV1PoolState.tickTable.selector, IUniswapV3PoolState.ticks.selector, spacing, first, last
        );
    }

    /// @dev Returns the fee of a swap now, in ppm. The first swap of a block sets the fee from the current volatility,
    ///   so this sells one base unit. The callback reads the fee, and returns it by a revert, which undoes the swap.
    function _fee(address pool, bool zeroForOne, uint160 limit) private returns (uint24 feePpm) {
        try IUniswapV3Pool(pool).swap(address(this), zeroForOne, 1, limit, "") {
            revert NoFee(pool, "");
        } catch (bytes memory words) {
            if (words.length == 32 * ONE_FEE) (,, feePpm) = abi.decode(words, (uint256, int256, uint24));
            else if (words.length != 32 * TWO_FEES) revert NoFee(pool, words);
            else if (zeroForOne) (,, feePpm) = abi.decode(words, (uint256, int256, uint24));
            else (,,, feePpm) = abi.decode(words, (uint256, int256, uint256, uint24));
        }
    }

    /// @dev Callback of the pool, which has another name in each fork. Reverts with the words of `globalState`.
    fallback() external {
        (, bytes memory words) = msg.sender.staticcall(abi.encodeCall(IAlgebraV1PoolState.globalState, ()));
        assembly ("memory-safe") {
            revert(add(words, 0x20), mload(words))
        }
    }
}
