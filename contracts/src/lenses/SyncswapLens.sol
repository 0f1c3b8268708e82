// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ISyncswapState} from "../interfaces/ISyncswap.sol";

/// @title SyncswapLens
/// @notice Reads classic and stable syncswap pools; never deployed.
contract SyncswapLens {
    struct State {
        address vault;
        bool stable;
        uint256 reserve0;
        uint256 reserve1;
        /// Factors that scale the reserves of a stable pool to 18 decimals; 1 for a classic pool.
        uint256 multiplier0;
        uint256 multiplier1;
        /// Fees on inputs of each token, in parts per 100,000.
        uint256 fee0;
        uint256 fee1;
    }

    uint16 private constant CLASSIC = 1;
    uint16 private constant STABLE = 2;

    /// @dev The pool is neither classic nor stable.
    error OtherKind(address pool, uint16 kind);

    /// @notice Returns the state of a pool. Reverts if the pool is neither classic nor stable.
    function read(ISyncswapState pool) external view returns (State memory state) {
        uint16 kind = pool.poolType();
        if (kind != CLASSIC && kind != STABLE) revert OtherKind(address(pool), kind);
        state.vault = pool.vault();
        state.stable = kind == STABLE;
        (state.reserve0, state.reserve1) = pool.getReserves();
        (state.multiplier0, state.multiplier1) = (1, 1);
        if (state.stable) {
            (state.multiplier0, state.multiplier1) =
                (pool.token0PrecisionMultiplier(), pool.token1PrecisionMultiplier());
        }
        (state.fee0, state.fee1) = fees(pool);
    }

    /// @notice Returns the current fees of a pool.
    /// @return fee0 Fee on input of the first token, in parts per 100,000, for a sender without a special fee.
    /// @return fee1 Fee on input of the second token.
    function fees(ISyncswapState pool) public view returns (uint256 fee0, uint256 fee1) {
        (address token0, address token1) = (pool.token0(), pool.token1());
        fee0 = pool.getSwapFee(address(0), token0, token1, "");
        fee1 = pool.getSwapFee(address(0), token1, token0, "");
    }
}
