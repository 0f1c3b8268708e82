// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";
import {IPairTokens} from "../interfaces/IPairTokens.sol";
import {IUniswapV2Pair} from "../interfaces/IUniswapV2Pair.sol";

/// @title PairFeeLens
/// @notice Measures the fee of a Uniswap V2 pair by swaps. For the call, a storage override sets the reserve of the
///   first token below the pair's balance. The pair takes the difference as paid in, so no token holder is needed.
contract PairFeeLens {
    /// @notice The swap succeeded, and is undone.
    error Swapped();

    /// @notice Returned if no fee could be found.
    uint256 public constant UNKNOWN = type(uint256).max;
    /// @dev In steps of ten parts per million. Pairs with higher fees are not useful.
    uint256 private constant MAX_STEPS = 10_000;

    /// @dev For one getter of a pair or a token. Rebasing tokens with proxies use less.
    uint256 private constant CALL_GAS = 200_000;
    /// @dev Gas with which a call gets `CALL_GAS`.
    uint256 private constant MIN_GAS = 210_000;

    /// @dev A pair whose fee to measure.
    struct Claim {
        IUniswapV2Pair pair;
        /// Reserves in the overridden storage.
        uint256 reserve0;
        uint256 reserve1;
    }

    /// @notice Returns the balances of both tokens of each pair; zero for a token whose call fails. Anyone can create a
    ///   pair of a hostile token, which must not hide the balances of other pairs.
    function balances(IUniswapV2Pair[] calldata pairs) external view returns (uint256[2][] memory found) {
        found = new uint256[2][](pairs.length);
        for (uint256 i = 0; i < pairs.length; ++i) {
            address pair = address(pairs[i]);
            found[i][0] = _balance(pair, IPairTokens.token0.selector);
            found[i][1] = _balance(pair, IPairTokens.token1.selector);
        }
    }

    /// @dev Returns the balance of a pair in one of its tokens; zero if a call fails.
    /// @param getter Getter of the pair that returns the token.
    function _balance(address pair, bytes4 getter) private view returns (uint256) {
        address token = address(uint160(_word(pair, abi.encodeWithSelector(getter))));
        return _word(token, abi.encodeCall(IERC20.balanceOf, (pair)));
    }

    /// @dev Returns the first word of the return data; zero if the call fails.
    function _word(address target, bytes memory input) private view returns (uint256 word) {
        // A call with less gas would look like a failed call. This burns the rest, so that `ReadRunner` reports the shortage.
        if (gasleft() < MIN_GAS) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        assembly ("memory-safe") {
            let ok := staticcall(CALL_GAS, target, add(input, 32), mload(input), 0, 32)
            if and(ok, gt(returndatasize(), 31)) { word := mload(0) }
        }
    }

    /// @notice Measures the fee of a pair by bisection.
    /// @return feePpm Lowest fee in ppm that the pair accepts, in steps of ten. `UNKNOWN` if the pair stores its
    ///   reserves in another slot, or does not swap.
    function fee(Claim calldata claim) external returns (uint256 feePpm) {
        (uint112 reserve0, uint112 reserve1,) = claim.pair.getReserves();
        if (reserve0 != claim.reserve0 || reserve1 != claim.reserve1) return UNKNOWN;
        address pair = address(claim.pair);
        uint256 amountIn = IERC20(IPairTokens(pair).token0()).balanceOf(pair) - reserve0;
        if (!accepts(claim, amountIn, MAX_STEPS)) return UNKNOWN;
        if (accepts(claim, amountIn, 0)) return 0;
        uint256 refused = 0;
        uint256 accepted = MAX_STEPS;
        while (accepted - refused > 1) {
            uint256 middle = (accepted + refused) / 2;
            if (accepts(claim, amountIn, middle)) accepted = middle;
            else refused = middle;
        }
        return accepted * 10;
    }

    /// @dev Returns true if the pair pays the output that corresponds to a fee of `steps` times ten ppm.
    function accepts(Claim calldata claim, uint256 amountIn, uint256 steps) private returns (bool) {
        uint256 kept = amountIn * (100_000 - steps);
        uint256 amountOut = (kept * claim.reserve1) / (claim.reserve0 * 100_000 + kept);
        try this.trySwap(claim.pair, amountOut) {}
        catch (bytes memory reason) {
            return reason.length == 4 && bytes4(reason) == Swapped.selector;
        }
        return false;
    }

    /// @notice Swaps, and reverts with `Swapped` if the pair accepts the swap.
    /// @dev Always reverts, so that every swap starts from the same state.
    function trySwap(IUniswapV2Pair pair, uint256 amountOut) external {
        pair.swap(0, amountOut, address(0xdead), "");
        revert Swapped();
    }
}
