// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20Metadata} from "../interfaces/IERC20Metadata.sol";
import {ISaddlePool} from "../interfaces/ISaddlePool.sol";
import {CurveLens} from "./CurveLens.sol";

/// @title SaddleLens
/// @notice Reads a pool of Saddle or one of its forks as a Curve pool; never deployed.
contract SaddleLens {
    uint256 private constant MAX_TOKENS = 8;
    /// @dev A pool of shares reads the price of the share again after this time.
    uint256 private constant SHARE_PRICE_LIFETIME = 10 minutes;

    /// @dev The pool allows only withdrawals.
    error Paused();

    /// @notice Returns the tokens of a pool.
    function tokens(ISaddlePool pool) public view returns (address[] memory list) {
        list = new address[](MAX_TOKENS);
        uint256 count = 0;
        for (; count < MAX_TOKENS; ++count) {
            try pool.getToken(uint8(count)) returns (address token) {
                list[count] = token;
            } catch {
                break;
            }
        }
        assembly ("memory-safe") {
            mstore(list, count)
        }
    }

    /// @notice Returns the state of a pool in the format of CurveLens. Reverts if the pool is paused.
    /// @return state The state.
    /// @return sharesPool True if the last token is a share of another pool, whose price is the rate of the token.
    function read(ISaddlePool pool) external view returns (CurveLens.State memory state, bool sharesPool) {
        if (_isPaused(address(pool))) revert Paused();
        state.coins = tokens(pool);
        uint256 n = state.coins.length;
        (state.balances, state.rates) = (new uint256[](n), new uint256[](n));
        for (uint256 i = 0; i < n; ++i) {
            state.balances[i] = pool.getTokenBalance(uint8(i));
            state.rates[i] = 10 ** (36 - IERC20Metadata(state.coins[i]).decimals());
        }
        uint256 sharePrice = _sharePrice(address(pool));
        sharesPool = sharePrice != 0;
        if (sharesPool) state.rates[n - 1] = state.rates[n - 1] * sharePrice / 1e18;
        (state.precise, state.a) = (true, pool.getAPrecise());
        uint256 rampEnd;
        (,,, rampEnd, state.fee, state.adminFee) = pool.swapStorage();
        state.ramping = rampEnd > block.timestamp;
        if (state.balances[0] == 0 || state.balances[1] == 0) return (state, sharesPool);
        state.samples = [state.balances[0] / 100 + 1, state.balances[1] / 100 + 1];
        state.quotes = [pool.calculateSwap(0, 1, state.samples[0]), pool.calculateSwap(1, 0, state.samples[1])];
    }

    /// @dev Returns true if the pool is paused. Pools of some forks cannot be paused, and have no such function.
    function _isPaused(address pool) private view returns (bool) {
        (bool ok, bytes memory data) = pool.staticcall(abi.encodeCall(ISaddlePool.paused, ()));
        return ok && data.length >= 32 && uint256(bytes32(data)) != 0;
    }

    /// @return price Price of the share that the next swap uses, with 18 decimals; zero if the pool trades no share.
    function _sharePrice(address pool) private view returns (uint256 price) {
        (bool ok, bytes memory data) = pool.staticcall(abi.encodeCall(ISaddlePool.metaSwapStorage, ()));
        if (!ok || data.length != 96) return 0;
        address base;
        uint256 updated;
        (base, price, updated) = abi.decode(data, (address, uint256, uint256));
        if (block.timestamp > updated + SHARE_PRICE_LIFETIME) price = ISaddlePool(base).getVirtualPrice();
    }
}
