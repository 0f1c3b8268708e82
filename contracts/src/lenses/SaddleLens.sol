// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20Metadata} from "../interfaces/IERC20Metadata.sol";
import {ISaddlePool} from "../interfaces/ISaddlePool.sol";
import {CurveLens} from "./CurveLens.sol";

/// @title SaddleLens
/// @notice Reads a pool of Saddle or one of its forks as a Curve pool; never deployed.
contract SaddleLens {
    uint256 private constant MAX_TOKENS = 8;

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
    function read(ISaddlePool pool) external view returns (CurveLens.State memory state) {
        if (_isPaused(address(pool))) revert Paused();
        state.coins = tokens(pool);
        uint256 n = state.coins.length;
        (state.balances, state.rates) = (new uint256[](n), new uint256[](n));
        for (uint256 i = 0; i < n; ++i) {
            state.balances[i] = pool.getTokenBalance(uint8(i));
            state.rates[i] = 10 ** (36 - IERC20Metadata(state.coins[i]).decimals());
        }
        (state.precise, state.a) = (true, pool.getAPrecise());
        uint256 rampEnd;
        (,,, rampEnd, state.fee, state.adminFee) = pool.swapStorage();
        state.ramping = rampEnd > block.timestamp;
        if (state.balances[0] == 0 || state.balances[1] == 0) return state;
        state.samples = [state.balances[0] / 100 + 1, state.balances[1] / 100 + 1];
        state.quotes = [pool.calculateSwap(0, 1, state.samples[0]), pool.calculateSwap(1, 0, state.samples[1])];
    }

    /// @dev Returns true if the pool is paused. Pools of some forks cannot be paused, and have no such function.
    function _isPaused(address pool) private view returns (bool) {
        (bool ok, bytes memory data) = pool.staticcall(abi.encodeCall(ISaddlePool.paused, ()));
        return ok && data.length >= 32 && uint256(bytes32(data)) != 0;
    }
}
