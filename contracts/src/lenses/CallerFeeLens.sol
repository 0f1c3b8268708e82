// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IUniswapV3Factory} from "../interfaces/IUniswapV3Factory.sol";
import {IUniswapV3Pool} from "../interfaces/IUniswapV3Pool.sol";
import {IUniswapV3PoolState} from "../interfaces/IUniswapV3PoolState.sol";
import {SampleLens} from "./SampleLens.sol";

/// @title CallerFeeLens
/// @notice Finds and samples pools like Uniswap V3's whose fee depends on the caller; never deployed.
/// @dev The pool requests its payment in a callback, whose revert undoes the swap and returns both amounts.
contract CallerFeeLens is SampleLens {
    /// @dev Price limits of the Executor: one above the minimum and one below the maximum of TickMath.
    uint160 private constant LOWEST_PRICE = 4295128740;
    uint160 private constant HIGHEST_PRICE = 1461446703485210103287273052203988822378723970341;

    struct Request {
        address pool;
        Trials trials;
    }

    /// @dev The swap did not use its whole input, or requested no payment.
    error NotWhole();

    /// @notice Finds pools of a factory for `tokens` (consecutive pairs), and for each fee: all fees of the first pair,
    ///   then of the next. Zero if there is no pool. The factory needs no getter for its fees.
    function find(address factory, address[] calldata tokens, uint24[] calldata fees)
        external
        view
        returns (address[] memory pools)
    {
        pools = new address[](tokens.length / 2 * fees.length);
        for (uint256 i = 0; i < pools.length; ++i) {
            uint256 p = i / fees.length;
            bytes memory call = abi.encodeCall(
                IUniswapV3Factory.getPool, (tokens[2 * p], tokens[2 * p + 1], fees[i % fees.length])
            );
            (bool ok, bytes memory data) = factory.staticcall(call);
            if (ok && data.length >= 32) pools[i] = address(uint160(uint256(bytes32(data))));
        }
    }

    /// @notice Returns the outputs of swaps at several amounts.
    /// @return outputs0 Output for each amount of the first token; zero if the swap fails.
    /// @return outputs1 Output for each amount of the second token.
    /// @return stamp Changes with the pool's price and liquidity.
    function sample(Request calldata request)
        external
        returns (uint256[] memory outputs0, uint256[] memory outputs1, bytes32 stamp)
    {
        (outputs0, outputs1) = _sample(abi.encode(request.pool), request.trials);
        (uint160 sqrtPriceX96,) = IUniswapV3PoolState(request.pool).slot0();
        stamp = keccak256(abi.encode(sqrtPriceX96, IUniswapV3PoolState(request.pool).liquidity()));
    }

    /// @inheritdoc SampleLens
    function _swap(bytes calldata pool, bool zeroForOne, uint256 amount) internal override returns (uint256 amountOut) {
        address at = abi.decode(pool, (address));
        uint160 limit = zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE;
        try IUniswapV3Pool(at).swap(address(this), zeroForOne, int256(amount), limit, "") {
            revert NotWhole();
        } catch (bytes memory answer) {
            if (answer.length != 64) revert NotWhole();
            (int256 amount0, int256 amount1) = abi.decode(answer, (int256, int256));
            (int256 owed, int256 bought) = zeroForOne ? (amount0, amount1) : (amount1, amount0);
            if (owed != int256(amount) || bought >= 0) revert NotWhole();
            return uint256(-bought);
        }
    }

    /// @dev Callback of the pool, which has another name in each fork: `(int256 amount0, int256 amount1, bytes data)`.
    ///   Reverts with both amounts.
    fallback() external {
        assembly ("memory-safe") {
            calldatacopy(0x00, 0x04, 0x40)
            revert(0x00, 0x40)
        }
    }
}
