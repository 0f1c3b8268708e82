// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICurveFactory} from "../interfaces/ICurveFactory.sol";
import {ICurvePoolState} from "../interfaces/ICurvePoolState.sol";
import {IERC20Metadata} from "../interfaces/IERC20Metadata.sol";
import {ISignedCoins} from "../interfaces/IRedeemable.sol";

/// @title CurveLens
/// @notice Finds and reads Curve pools with the StableSwap invariant, of all generations; never deployed.
contract CurveLens {
    uint256 private constant MAX_COINS = 8;
    /// @dev Address of the native token as a coin.
    address private constant NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    /// @dev Names and units are those of ICurvePoolState. `a` is A.
    struct State {
        address[] coins;
        uint256[] balances;
        /// Rates that the pool stores; if it has none, they follow from the decimals of the coins.
        uint256[] rates;
        uint256 a;
        /// True if `a` is in hundredths.
        bool precise;
        /// True while `a` changes with time.
        bool ramping;
        uint256 fee;
        uint256 adminFee;
        uint256 offpegMultiplier;
        /// The pool's own quotes for a hundredth of coin 0 in coin 1, and in reverse; zero if it does not quote.
        uint256[2] samples;
        uint256[2] quotes;
    }

    /// @notice Finds up to `depth` pools for each pair in `tokens` (consecutive pairs); zero if there are fewer.
    function find(address factory, address[] calldata tokens, uint256 depth)
        external
        view
        returns (address[] memory pools)
    {
        pools = new address[](tokens.length / 2 * depth);
        for (uint256 i = 0; i < pools.length; ++i) {
            uint256 pair = i / depth * 2;
            // The indices of a pair's pools have no gaps.
            if (i % depth != 0 && pools[i - 1] == address(0)) continue;
            (bool ok, bytes memory data) = factory.staticcall(
                abi.encodeCall(ICurveFactory.find_pool_for_coins, (tokens[pair], tokens[pair + 1], i % depth))
            );
            if (ok && data.length >= 32) pools[i] = address(uint160(uint256(bytes32(data))));
        }
    }

    /// @notice Returns the coins of a pool. The index in Curve's first pools is a signed integer.
    function coins(address pool) public view returns (address[] memory list) {
        list = new address[](MAX_COINS);
        (bool unsigned,) = _word(pool, abi.encodeCall(ICurvePoolState.coins, (0)));
        uint256 count = 0;
        for (; count < MAX_COINS; ++count) {
            (bool ok, uint256 word) = _word(
                pool,
                unsigned
                    ? abi.encodeCall(ICurvePoolState.coins, (count))
                    : abi.encodeCall(ISignedCoins.coins, (int128(uint128(count))))
            );
            if (!ok || word == 0) break;
            list[count] = address(uint160(word));
        }
        assembly ("memory-safe") {
            mstore(list, count)
        }
    }

    /// @notice Returns the state of a pool.
    function read(address pool) external view returns (State memory state) {
        state.coins = coins(pool);
        uint256 n = state.coins.length;
        state.balances = new uint256[](n);
        for (uint256 i = 0; i < n; ++i) {
            state.balances[i] = ICurvePoolState(pool).balances(i);
        }
        state.rates = _rates(pool, state.coins);
        (state.precise, state.a) = _word(pool, abi.encodeCall(ICurvePoolState.A_precise, ()));
        if (!state.precise) state.a = ICurvePoolState(pool).A();
        (, uint256 rampEnd) = _word(pool, abi.encodeCall(ICurvePoolState.future_A_time, ()));
        state.ramping = rampEnd > block.timestamp;
        state.fee = ICurvePoolState(pool).fee();
        (, state.adminFee) = _word(pool, abi.encodeCall(ICurvePoolState.admin_fee, ()));
        (, state.offpegMultiplier) = _word(pool, abi.encodeCall(ICurvePoolState.offpeg_fee_multiplier, ()));
        if (state.balances[0] == 0 || state.balances[1] == 0) return state;
        state.samples = [state.balances[0] / 100 + 1, state.balances[1] / 100 + 1];
        (, state.quotes[0]) = _word(pool, abi.encodeCall(ICurvePoolState.get_dy, (0, 1, state.samples[0])));
        (, state.quotes[1]) = _word(pool, abi.encodeCall(ICurvePoolState.get_dy, (1, 0, state.samples[1])));
    }

    /// @dev Returns the stored rates of a pool, or rates from the decimals of the coins in `list`.
    function _rates(address pool, address[] memory list) private view returns (uint256[] memory rates) {
        rates = new uint256[](list.length);
        (bool ok, bytes memory data) = pool.staticcall(abi.encodeCall(ICurvePoolState.stored_rates, ()));
        // NG returns a dynamic array (offset, length, rates), earlier pools a fixed one.
        uint256 skip = data.length == 32 * (list.length + 2) ? 64 : 0;
        bool stored = ok && data.length == skip + 32 * list.length;
        for (uint256 i = 0; i < list.length; ++i) {
            if (stored) {
                uint256 at = 32 + skip + 32 * i;
                assembly ("memory-safe") {
                    mstore(add(add(rates, 0x20), mul(i, 0x20)), mload(add(data, at)))
                }
            } else {
                rates[i] = 10 ** (36 - (list[i] == NATIVE ? 18 : IERC20Metadata(list[i]).decimals()));
            }
        }
    }

    /// @dev Returns the first word of the return data. `ok` is false if the call fails or returns less.
    function _word(address target, bytes memory call) private view returns (bool ok, uint256 word) {
        bytes memory data;
        (ok, data) = target.staticcall(call);
        ok = ok && data.length >= 32;
        if (ok) word = uint256(bytes32(data));
    }
}
