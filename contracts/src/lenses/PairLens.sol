// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IUniswapV2Pair} from "../interfaces/IUniswapV2Pair.sol";

/// @title PairLens
/// @notice Finds the pools of factories with one pool per pair, and reads uniswap-v2 pairs, in one eth_call; never
///   deployed.
contract PairLens {
    /// @notice Finds the pairs of a factory for `tokens` (consecutive pairs); zero if there is none or the call fails.
    /// @param getter Function of two tokens, such as `getPair`.
    function find(address factory, bytes4 getter, address[] calldata tokens) external view returns (address[] memory pairs) {
        pairs = new address[](tokens.length / 2);
        for (uint256 i = 0; i < pairs.length; ++i) {
            (bool ok, bytes memory data) =
                factory.staticcall(abi.encodeWithSelector(getter, tokens[2 * i], tokens[2 * i + 1]));
            if (ok && data.length >= 32) pairs[i] = address(uint160(uint256(bytes32(data))));
        }
    }

    /// @notice Returns one word per pair: 1 in the top bit, then reserve0 and reserve1 with 112 bits each in the low
    ///   224. Zero if the call fails.
    function reserves(address[] calldata pairs) external view returns (uint256[] memory words) {
        words = new uint256[](pairs.length);
        for (uint256 i = 0; i < pairs.length; ++i) {
            (bool ok, bytes memory data) = pairs[i].staticcall(abi.encodeCall(IUniswapV2Pair.getReserves, ()));
            if (!ok || data.length < 64) continue;
            (uint256 reserve0, uint256 reserve1) = abi.decode(data, (uint256, uint256));
            if (reserve0 >> 112 != 0 || reserve1 >> 112 != 0) continue;
            words[i] = 1 << 255 | reserve0 << 112 | reserve1;
        }
    }
}
