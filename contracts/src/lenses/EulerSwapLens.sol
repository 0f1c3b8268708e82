// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";
import {IERC4626State} from "../interfaces/IERC4626State.sol";
import {IEulerSwapPool, IEulerSwapRegistry, IEulerSwapState} from "../interfaces/IEulerSwap.sol";
import {DeepestPools} from "./DeepestPools.sol";

/// @title EulerSwapLens
/// @notice Finds and reads EulerSwap V2 pools; never deployed.
contract EulerSwapLens is DeepestPools {
    /// @dev A pool, and the account whose assets it trades.
    struct Found {
        address pool;
        address account;
    }

    /// @dev Limits of one direction in base units; `known` is false if the pool does not report them.
    struct Side {
        bool known;
        uint256 inLimit;
        uint256 outLimit;
        /// An amount within the limit, and the pool's quote for it; zero if it reverts.
        uint256 quoteIn;
        uint256 quoteOut;
    }

    /// @dev Divisor of the limit: the lens requests a quote for this part of it.
    uint256 private constant PART = 1000;

    struct State {
        IEulerSwapState.DynamicParams params;
        uint112 reserve0;
        uint112 reserve1;
        /// False while the pool is locked, not installed, or expired.
        bool open;
        /// Index: the token that is sold.
        Side[2] sides;
    }

    /// @dev Pools to compare at each end of a list. It is small because the amounts of a pool need four calls of
    ///   vaults.
    uint256 private constant WINDOW = 64;

    /// @notice Finds the pools of a pair that are in the registry.
    /// @param assets Both tokens, the lower address first.
    /// @param max Maximum pools to find. If there are more, those with the largest balances in the vaults.
    function find(IEulerSwapRegistry registry, address[2] calldata assets, uint256 max)
        external
        view
        returns (Found[] memory found)
    {
        uint256 count = registry.poolsByPairLength(assets[0], assets[1]);
        address[] memory pools;
        if (count > max) {
            List memory list = List(address(registry), IEulerSwapRegistry.poolsByPairSlice.selector, assets);
            (pools,,) = _deepest(list, max, WINDOW, 0);
        } else {
            pools = registry.poolsByPairSlice(assets[0], assets[1], 0, count);
        }
        found = new Found[](pools.length);
        for (uint256 k; k < pools.length; ++k) {
            found[k] = Found(pools[k], IEulerSwapState(pools[k]).getStaticParams().eulerAccount);
        }
    }

    /// @dev Returns the supplied amounts of the pool's account. The pool itself holds nothing, and its owner sets its
    ///   reserves.
    function _amounts(address pool, address[2] memory) internal view override returns (uint256[2] memory amounts) {
        IEulerSwapState.StaticParams memory params = IEulerSwapState(pool).getStaticParams();
        amounts[0] = _supplied(params.supplyVault0, params.eulerAccount);
        amounts[1] = _supplied(params.supplyVault1, params.eulerAccount);
    }

    /// @dev Returns the assets of an account in a vault; zero if the vault reverts.
    function _supplied(address vault, address account) private view returns (uint256 assets) {
        uint256 shares = _word(vault, abi.encodeCall(IERC20.balanceOf, (account)));
        if (shares != 0) assets = _word(vault, abi.encodeCall(IERC4626State.convertToAssets, (shares)));
    }

    /// @dev Returns the first word of the return data; zero if the call fails.
    function _word(address target, bytes memory call) private view returns (uint256 word) {
        (bool ok, bytes memory data) = target.staticcall(call);
        if (ok && data.length >= 32) word = uint256(bytes32(data));
    }

    /// @notice Returns the state of a pool.
    function read(IEulerSwapState pool, address[2] calldata assets) external view returns (State memory state) {
        uint32 status;
        (state.reserve0, state.reserve1, status) = pool.getReserves();
        state.params = pool.getDynamicParams();
        uint256 expiration = state.params.expiration;
        state.open = status == 1 && (expiration == 0 || expiration > block.timestamp) && pool.isInstalled();
        for (uint256 i; i < 2; ++i) {
            state.sides[i] = _side(pool, assets[i], assets[1 - i]);
        }
    }

    /// @dev Reads the limits of one direction, and a quote.
    function _side(IEulerSwapState pool, address tokenIn, address tokenOut) private view returns (Side memory side) {
        try pool.getLimits(tokenIn, tokenOut) returns (uint256 inLimit, uint256 outLimit) {
            (side.known, side.inLimit, side.outLimit) = (true, inLimit, outLimit);
        } catch {
            return side;
        }
        side.quoteIn = side.inLimit / PART;
        try IEulerSwapPool(address(pool)).computeQuote(tokenIn, tokenOut, side.quoteIn, true) returns (uint256 amountOut) {
            side.quoteOut = amountOut;
        } catch {}
    }
}
