// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IDodoV2Factory} from "../interfaces/IDodoV2State.sol";

/// @title DodoV2Lens
/// @notice Finds proactive market makers; never deployed.
contract DodoV2Lens {
    struct Found {
        /// Which of the pairs of tokens asked for.
        uint256 index;
        address pool;
        /// True if the first token of the pair is the pool's base, else the second.
        bool firstIsBase;
    }

    /// @notice The pools that factories have for `tokens`, taken two by two, either of them the base.
    /// @param most Pools of one factory and one order of tokens; anybody may make any number of them, so the newest count.
    function find(address[] calldata factories, address[] calldata tokens, uint256 most)
        external
        view
        returns (Found[] memory found)
    {
        found = new Found[](factories.length * tokens.length * most);
        uint256 count = 0;
        for (uint256 f = 0; f < factories.length; ++f) {
            for (uint256 i = 0; i < tokens.length; ++i) {
                (bool ok, bytes memory data) =
                    factories[f].staticcall(abi.encodeCall(IDodoV2Factory.getDODOPool, (tokens[i], tokens[i ^ 1])));
                if (!ok || data.length < 64) continue;
                address[] memory pools = abi.decode(data, (address[]));
                for (uint256 j = pools.length > most ? pools.length - most : 0; j < pools.length; ++j) {
                    found[count++] = Found(i / 2, pools[j], i & 1 == 0);
                }
            }
        }
        assembly ("memory-safe") {
            mstore(found, count)
        }
    }
}
