// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";
import {DeepestPools} from "./DeepestPools.sol";

/// @title DeepestLens
/// @notice Finds the deepest pools of two tokens, if pools hold their own tokens; never deployed.
contract DeepestLens is DeepestPools {
    /// @dev Address of the native token in factories.
    address private constant NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    /// @notice Finds at most `max` pools of a factory.
    /// @param getter Returns the pool of two tokens at an index (see `List`).
    /// @param max See `_deepest`, also for `window`, `skip`, and the results.
    function find(
        address factory,
        bytes4 getter,
        address[2] calldata tokens,
        uint256 max,
        uint256 window,
        uint256 skip
    ) external view returns (address[] memory pools, uint256[2][] memory depths, uint256 count) {
        return _deepest(List(factory, getter, tokens), max, window, skip);
    }

    /// @inheritdoc DeepestPools
    function _amounts(address pool, address[2] memory tokens) internal view override returns (uint256[2] memory amounts) {
        for (uint256 i = 0; i < 2; ++i) {
            if (tokens[i] == NATIVE) {
                amounts[i] = pool.balance;
                continue;
            }
            (bool ok, bytes memory data) = tokens[i].staticcall(abi.encodeCall(IERC20.balanceOf, (pool)));
            if (ok && data.length >= 32) amounts[i] = uint256(bytes32(data));
        }
    }
}
