// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20Metadata} from "../interfaces/IERC20Metadata.sol";
import {IWoofiV2State, IWooracle} from "../interfaces/IWoofiV2.sol";

/// @title WoofiV2Lens
/// @notice Reads two tokens of a woofi-v2 pool with their current oracle state; never deployed.
contract WoofiV2Lens {
    /// @dev State of a token in the pool and its oracle. The fields of the oracle are zero for the quote token.
    struct Token {
        uint256 reserve;
        uint256 feeRate;
        uint256 maxGamma;
        uint256 maxNotional;
        uint256 price;
        uint256 spread;
        uint256 coeff;
        bool feasible;
        uint8 decimals;
        uint8 priceDecimals;
        /// The pool's own quotes for a thousandth of a token's unit in the other token; zero if it reverts.
        uint256 quoted;
    }

    struct State {
        /// Index of the quote token, in which all tokens are priced: 0, 1, or 2 for neither.
        uint256 quoteIndex;
        uint8 quoteDecimals;
        bool paused;
        Token[2] tokens;
    }

    /// @notice Returns the state of a pool and of two of its tokens.
    function read(address pool, address[2] calldata tokens) external view returns (State memory state) {
        IWoofiV2State woo = IWoofiV2State(pool);
        address quote = woo.quoteToken();
        state.quoteIndex = quote == tokens[0] ? 0 : quote == tokens[1] ? 1 : 2;
        state.quoteDecimals = IERC20Metadata(quote).decimals();
        state.paused = woo.paused();
        IWooracle oracle = IWooracle(woo.wooracle());
        for (uint256 i = 0; i < 2; ++i) {
            Token memory token = state.tokens[i];
            (token.reserve, token.feeRate, token.maxGamma, token.maxNotional) = woo.tokenInfos(tokens[i]);
            token.decimals = IERC20Metadata(tokens[i]).decimals();
            try woo.query(tokens[i], tokens[1 - i], 10 ** token.decimals / 1000) returns (uint256 amount) {
                token.quoted = amount;
            } catch {}
            if (state.quoteIndex == i) continue;
            IWooracle.State memory tokenState = oracle.state(tokens[i]);
            (token.price, token.spread, token.coeff, token.feasible) =
                (tokenState.price, tokenState.spread, tokenState.coeff, tokenState.woFeasible);
            token.priceDecimals = oracle.decimals(tokens[i]);
        }
    }
}
