// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ILiquidityBookFactory, ILiquidityBookState} from "../interfaces/ILiquidityBookState.sol";

/// @title LiquidityBookLens
/// @notice Finds and reads Liquidity Book pairs (price bins); never deployed.
contract LiquidityBookLens {
    struct Found {
        /// Index of the pair in `tokens`.
        uint256 index;
        address pool;
        address tokenX;
    }

    struct State {
        /// Unix time of the block in seconds.
        uint256 timestamp;
        uint256 binStep;
        uint256 activeId;
        /// In the order of `getStaticFeeParameters` and `getVariableFeeParameters`.
        uint256[7] fixedFee;
        uint256[4] variableFee;
        /// Two words per bin: its id, then reserveX in the high and reserveY in the low half. First the active bin and
        /// those below it, descending, then those above it, ascending.
        uint256[] below;
        uint256[] above;
        /// True if all bins of a side are included.
        bool allBelow;
        bool allAbove;
        /// True if the liquidity of a bin is limited: since version 2.2, the first with hooks.
        bool limited;
    }

    /// @dev Flags in `getLBHooksParameters`: the pair calls a hook before or after a swap.
    uint256 private constant SWAP_HOOKS = 3 << 160;

    /// @dev The pair calls a hook before or after swaps.
    error HasHooks(address pool);

    /// @notice Finds all pairs of a factory for `tokens` (consecutive pairs).
    function find(address factory, address[] calldata tokens) external view returns (Found[] memory found) {
        ILiquidityBookFactory.PairInformation[][] memory pairs =
            new ILiquidityBookFactory.PairInformation[][](tokens.length / 2);
        uint256 count = 0;
        for (uint256 i = 0; i < pairs.length; ++i) {
            pairs[i] = ILiquidityBookFactory(factory).getAllLBPairs(tokens[2 * i], tokens[2 * i + 1]);
            count += pairs[i].length;
        }
        found = new Found[](count);
        count = 0;
        for (uint256 i = 0; i < pairs.length; ++i) {
            for (uint256 j = 0; j < pairs[i].length; ++j) {
                address pool = pairs[i][j].pair;
                found[count++] = Found(i, pool, _tokenX(ILiquidityBookState(pool)));
            }
        }
    }

    /// @dev The getter of version 2.0 has another name.
    function _tokenX(ILiquidityBookState pool) private view returns (address) {
        try pool.getTokenX() returns (address token) {
            return token;
        } catch {
            return pool.tokenX();
        }
    }

    /// @notice Returns the state of a pair. Reverts if the pair calls a hook in swaps.
    /// @param maxBins Maximum bins to read on each side of the active one.
    function read(ILiquidityBookState pool, uint256 maxBins) external view returns (State memory state) {
        try pool.getLBHooksParameters() returns (bytes32 hooks) {
            if (uint256(hooks) & SWAP_HOOKS != 0) revert HasHooks(address(pool));
            state.limited = true;
        } catch {}
        state.timestamp = block.timestamp;
        state.binStep = pool.getBinStep();
        state.activeId = pool.getActiveId();
        (
            state.fixedFee[0],
            state.fixedFee[1],
            state.fixedFee[2],
            state.fixedFee[3],
            state.fixedFee[4],
            state.fixedFee[5],
            state.fixedFee[6]
        ) = pool.getStaticFeeParameters();
        (state.variableFee[0], state.variableFee[1], state.variableFee[2], state.variableFee[3]) =
            pool.getVariableFeeParameters();
        (state.below, state.allBelow) = _bins(pool, uint24(state.activeId), true, maxBins);
        (state.above, state.allAbove) = _bins(pool, uint24(state.activeId), false, maxBins);
    }

    /// @dev Reads the bins on one side of the active bin. `complete` is true if there are no more.
    function _bins(ILiquidityBookState pool, uint24 active, bool down, uint256 maxBins)
        private
        view
        returns (uint256[] memory words, bool complete)
    {
        words = new uint256[](2 * maxBins);
        uint256 count = 0;
        uint24 id = active;
        // The active bin belongs to the side below.
        if (down) count = _put(pool, words, count, id);
        while (true) {
            id = pool.getNextNonEmptyBin(down, id);
            complete = id == 0 || id == type(uint24).max;
            if (complete || count == words.length) break;
            count = _put(pool, words, count, id);
        }
        assembly ("memory-safe") {
            mstore(words, count)
        }
    }

    /// @dev Writes a bin to `words` at index `at`, and returns the index after it.
    function _put(ILiquidityBookState pool, uint256[] memory words, uint256 at, uint24 id) private view returns (uint256) {
        (uint128 reserveX, uint128 reserveY) = pool.getBin(id);
        words[at] = id;
        words[at + 1] = uint256(reserveX) << 128 | reserveY;
        return at + 2;
    }
}
