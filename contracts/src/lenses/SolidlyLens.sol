// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ISolidlyFactory} from "../interfaces/ISolidlyFactory.sol";
import {ISolidlyPairState} from "../interfaces/ISolidlyPairState.sol";
import {IVelodromeV2Factory} from "../interfaces/IVelodromeV2Factory.sol";

/// @title SolidlyLens
/// @notice Finds and reads stable and volatile pairs; never deployed.
contract SolidlyLens {
    struct State {
        /// Base units of a whole token.
        uint256 decimals0;
        uint256 decimals1;
        uint256 reserve0;
        uint256 reserve1;
        bool stable;
        /// The pair's own quotes for a sample of each token, from which the caller derives the fee.
        uint256 sample0;
        uint256 quote0;
        uint256 sample1;
        uint256 quote1;
    }

    /// @notice Finds the stable and the volatile pair for `tokens` (consecutive pairs); zero if there is none.
    function find(address factory, address[] calldata tokens, bool velodrome)
        external
        view
        returns (address[] memory pairs)
    {
        pairs = new address[](tokens.length);
        for (uint256 i = 0; i < pairs.length; ++i) {
            (address a, address b) = (tokens[i & ~uint256(1)], tokens[i | 1]);
            bool stable = i & 1 == 0;
            (bool ok, bytes memory data) = factory.staticcall(
                velodrome
                    ? abi.encodeCall(IVelodromeV2Factory.getPool, (a, b, stable))
                    : abi.encodeCall(ISolidlyFactory.getPair, (a, b, stable))
            );
            if (ok && data.length >= 32) pairs[i] = address(uint160(uint256(bytes32(data))));
        }
    }

    /// @notice Returns the state of a pair.
    function read(ISolidlyPairState pair) external view returns (State memory state) {
        address token0;
        address token1;
        (state.decimals0, state.decimals1, state.reserve0, state.reserve1, state.stable, token0, token1) =
            pair.metadata();
        if (state.reserve0 == 0 || state.reserve1 == 0) return state;
        // Large enough that one part per million of the fee changes the result.
        state.sample0 = state.reserve0 / 4 + 1;
        state.sample1 = state.reserve1 / 4 + 1;
        state.quote0 = pair.getAmountOut(state.sample0, token0);
        state.quote1 = pair.getAmountOut(state.sample1, token1);
    }
}
