// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICurveCryptoMath} from "../interfaces/ICurveCryptoMath.sol";
import {ICurveCryptoPoolState} from "../interfaces/ICurveCryptoPoolState.sol";
import {ICurvePoolState} from "../interfaces/ICurvePoolState.sol";
import {IERC20Metadata} from "../interfaces/IERC20Metadata.sol";

/// @title CurveCryptoLens
/// @notice Reads Curve pools of two or three coins with different prices, of all generations; never deployed.
contract CurveCryptoLens {
    uint256 private constant ONE = 1e18;

    /// @dev Names and units are those of ICurveCryptoPoolState. `a` is A, `invariant` is D, `profit` is xcp_profit, and
    ///   `futureTime` is future_A_gamma_time.
    struct State {
        uint256[] balances;
        uint256[] precisions;
        uint256[] priceScale;
        uint256 a;
        uint256 gamma;
        uint256 invariant;
        uint256 futureTime;
        uint256 timestamp;
        uint256 midFee;
        uint256 outFee;
        uint256 feeGamma;
        uint256 virtualPrice;
        uint256 totalSupply;
        uint256 profit;
        uint256 allowedExtraProfit;
        bool killed;
        /// Version of the pool's math contract; empty for the first generation.
        string version;
        /// Values that the pool computes at these balances.
        uint256 fee;
        /// Results for a hundredth more of coin 0, and of the last coin: the pool's quotes for coin 1 and coin 0, or,
        /// for NG pools, the balances of these coins from its math contract.
        uint256[2] samples;
        uint256[2] quotes;
    }

    /// @notice Returns the state of a pool of `n` coins.
    function read(ICurveCryptoPoolState pool, uint256 n) external view returns (State memory state) {
        state.balances = new uint256[](n);
        state.priceScale = new uint256[](n - 1);
        for (uint256 i = 0; i < n; ++i) {
            state.balances[i] = pool.balances(i);
            if (i != 0) state.priceScale[i - 1] = n == 2 ? pool.price_scale() : pool.price_scale(i - 1);
        }
        state.precisions = _precisions(pool, n);
        _readNumbers(pool, state);
        (bool separate, uint256 share) = _word(address(pool), abi.encodeCall(pool.token, ()));
        state.totalSupply = (separate ? ICurveCryptoPoolState(address(uint160(share))) : pool).totalSupply();
        (, uint256 killed) = _word(address(pool), abi.encodeCall(pool.is_killed, ()));
        state.killed = killed != 0;
        (bool ng, uint256 math) = _word(address(pool), abi.encodeCall(pool.MATH, ()));
        if (ng) {
            _sampleMath(ICurveCryptoMath(address(uint160(math))), state, n);
        } else {
            state.samples = [state.balances[0] / 100, state.balances[n - 1] / 100];
            (, state.quotes[0]) = _word(address(pool), abi.encodeCall(pool.get_dy, (0, 1, state.samples[0])));
            (, state.quotes[1]) = _word(address(pool), abi.encodeCall(pool.get_dy, (n - 1, 0, state.samples[1])));
        }
    }

    /// @dev Sets the fields that have a getter of one word in every release.
    function _readNumbers(ICurveCryptoPoolState pool, State memory state) private view {
        state.a = pool.A();
        state.gamma = pool.gamma();
        state.invariant = pool.D();
        state.futureTime = pool.future_A_gamma_time();
        state.timestamp = block.timestamp;
        state.midFee = pool.mid_fee();
        state.outFee = pool.out_fee();
        state.feeGamma = pool.fee_gamma();
        state.fee = pool.fee();
        state.virtualPrice = pool.virtual_price();
        state.profit = pool.xcp_profit();
        state.allowedExtraProfit = pool.allowed_extra_profit();
    }

    /// @dev Sets `samples` and `quotes` of an NG pool from its math contract.
    function _sampleMath(ICurveCryptoMath math, State memory state, uint256 n) private view {
        state.version = math.version();
        uint256[3] memory xp;
        for (uint256 i = 0; i < n; ++i) {
            xp[i] = state.balances[i] * state.precisions[i];
            if (i != 0) xp[i] = xp[i] * state.priceScale[i - 1] / ONE;
        }
        state.samples = [xp[0] + xp[0] / 100, xp[n - 1] + xp[n - 1] / 100];
        uint256 first = xp[0];
        xp[0] = state.samples[0];
        state.quotes[0] = _solve(math, state, xp, 1, n);
        (xp[0], xp[n - 1]) = (first, state.samples[1]);
        state.quotes[1] = _solve(math, state, xp, 0, n);
    }

    /// @dev Returns the balance of coin `j` that satisfies the invariant with the other balances of `xp`.
    function _solve(ICurveCryptoMath math, State memory state, uint256[3] memory xp, uint256 j, uint256 n)
        private
        view
        returns (uint256)
    {
        if (n == 3) return math.get_y(state.a, state.gamma, xp, state.invariant, j)[0];
        return math.get_y(state.a, state.gamma, [xp[0], xp[1]], state.invariant, j)[0];
    }

    /// @dev Returns the factors that scale balances to 18 decimals. If the pool has no getter
    ///   for them, they follow from the decimals of the coins.
    function _precisions(ICurveCryptoPoolState pool, uint256 n) private view returns (uint256[] memory list) {
        list = new uint256[](n);
        (bool ok, bytes memory data) = address(pool).staticcall(abi.encodeCall(pool.precisions, ()));
        bool hasPrecisions = ok && data.length == 32 * n;
        for (uint256 i = 0; i < n; ++i) {
            if (hasPrecisions) {
                uint256 at = 32 + 32 * i;
                assembly ("memory-safe") {
                    mstore(add(add(list, 0x20), mul(i, 0x20)), mload(add(data, at)))
                }
            } else {
                list[i] = 10 ** (18 - IERC20Metadata(ICurvePoolState(address(pool)).coins(i)).decimals());
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
