// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title DeepestPools
/// @notice Chooses the deepest pools of a factory for two tokens.
/// @dev Anyone can create any number of pools, before and after a good one. To displace a pool, an account must hold
///   more of each token than the pool, in half of the chosen pools. The work is bounded: of a longer list, a call
///   compares two windows of pools, at equal distances from both ends.
abstract contract DeepestPools {
    /// @dev A list of pools in a factory.
    struct List {
        address factory;
        /// Takes two tokens, an index, and the next index. Returns one address, or an array of one.
        bytes4 getter;
        address[2] tokens;
    }

    /// @dev An index past the end consumes all gas in factories of old compilers.
    uint256 private constant GETTER_GAS = 50_000;

    /// @dev Measures the depth of a pool.
    /// @return amounts Base units of both tokens that the pool can pay; zero if unknown.
    function _amounts(address pool, address[2] memory tokens) internal view virtual returns (uint256[2] memory amounts);

    /// @dev Chooses at most `max` pools of a list.
    /// @param max Maximum pools to return: half of them hold the largest amounts of the first token, half of the
    ///   second.
    /// @param window Pools that are compared at each end of the list.
    /// @param skip Pools at each end that are left out, because another call compares them.
    /// @return chosen The deepest of the compared pools.
    /// @return depths Their amounts of both tokens.
    /// @return count Length of the list.
    function _deepest(List memory list, uint256 max, uint256 window, uint256 skip)
        internal
        view
        returns (address[] memory chosen, uint256[2][] memory depths, uint256 count)
    {
        count = _count(list);
        uint256 size = count > 2 * skip ? count - 2 * skip : 0;
        if (size > 2 * window) size = 2 * window;
        address[] memory pools = new address[](size);
        uint256[2][] memory amounts = new uint256[2][](size);
        for (uint256 i = 0; i < size; ++i) {
            pools[i] = _poolAt(list, i < window ? skip + i : count - skip - size + i);
            amounts[i] = _amounts(pools[i], list.tokens);
        }
        if (max > size) max = size;
        (chosen, depths) = (new address[](max), new uint256[2][](max));
        for (uint256 k = 0; k < max; ++k) {
            uint256 best = 0;
            uint256 maxAmount = 0;
            for (uint256 i = 0; i < size; ++i) {
                // The newest of equal pools is chosen.
                if (pools[i] == address(0) || amounts[i][k & 1] < maxAmount) continue;
                (best, maxAmount) = (i, amounts[i][k & 1]);
            }
            (chosen[k], depths[k]) = (pools[best], amounts[best]);
            pools[best] = address(0);
        }
    }

    /// @dev Finds the length of a list without gaps by doubling and bisection, because not all factories have a getter
    ///   for it.
    function _count(List memory list) private view returns (uint256 count) {
        uint256 missing = 1;
        while (_poolAt(list, missing - 1) != address(0)) missing <<= 1;
        count = missing >> 1;
        while (missing - count > 1) {
            uint256 middle = (count + missing) >> 1;
            if (_poolAt(list, middle - 1) == address(0)) missing = middle;
            else count = middle;
        }
    }

    /// @dev Calls the getter of the list.
    /// @return pool Zero after the end.
    function _poolAt(List memory list, uint256 index) private view returns (address pool) {
        (bool ok, bytes memory data) = list.factory.staticcall{gas: GETTER_GAS}(
            abi.encodeWithSelector(list.getter, list.tokens[0], list.tokens[1], index, index + 1)
        );
        if (!ok || data.length < 32 || data.length == 64) return address(0);
        uint256 at = data.length == 32 ? 0x20 : 0x60;
        assembly ("memory-safe") {
            pool := mload(add(data, at))
        }
    }
}
