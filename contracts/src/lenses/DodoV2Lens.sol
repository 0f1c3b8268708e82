// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IDodoV2Factory} from "../interfaces/IDodoV2State.sol";

/// @title DodoV2Lens
/// @notice Finds pools of DODO V2 (proactive market makers); never deployed.
contract DodoV2Lens {
    struct Found {
        /// Index of the pair in `tokens`.
        uint256 index;
        /// Index of the factory.
        uint256 factory;
        /// Zero if the factory has more than `max` pools.
        address pool;
        /// True if the first token of the pair is the pool's base token; otherwise the second is.
        bool firstIsBase;
    }

    /// @dev Enough for more than `max` pools. A longer list, which anyone can create, must not use up the gas of other
    ///   pairs.
    uint256 private constant LIST_GAS = 45_000;

    /// @notice Finds pools of factories for `tokens` (consecutive pairs), with either token as the base.
    /// @param max Maximum pools of one factory with one base token.
    function find(address[] calldata factories, address[] calldata tokens, uint256 max)
        external
        view
        returns (Found[] memory found)
    {
        found = new Found[](factories.length * tokens.length * max);
        uint256 count = 0;
        for (uint256 f = 0; f < factories.length; ++f) {
            for (uint256 i = 0; i < tokens.length; ++i) {
                (bool ok, address[] memory pools) = _list(factories[f], tokens[i], tokens[i ^ 1]);
                if (!ok || pools.length > max) {
                    found[count++] = Found(i / 2, f, address(0), i & 1 == 0);
                    continue;
                }
                for (uint256 j = 0; j < pools.length; ++j) {
                    found[count++] = Found(i / 2, f, pools[j], i & 1 == 0);
                }
            }
        }
        assembly ("memory-safe") {
            mstore(found, count)
        }
    }

    /// @dev Returns the pools of a factory with a base and a quote token.
    /// @return ok False if the call fails, because the list is too long for the gas or the factory reverts.
    function _list(address factory, address base, address quote)
        private
        view
        returns (bool ok, address[] memory pools)
    {
        bytes memory data;
        (ok, data) = factory.staticcall{gas: LIST_GAS}(abi.encodeCall(IDodoV2Factory.getDODOPool, (base, quote)));
        if (ok && data.length >= 64) pools = abi.decode(data, (address[]));
    }
}
