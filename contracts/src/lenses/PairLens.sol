// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IUniswapV2Pair} from "../interfaces/IUniswapV2Pair.sol";

/// @title PairLens
/// @notice Finds the pools of factories with one for each pair, and reads many uniswap-v2 style pairs, in one eth_call; never deployed.
contract PairLens {
    /// @notice The pairs that a factory has for `tokens`, taken two by two; zero if it has none or does not answer.
    /// @param getter Takes the two tokens, such as `getPair`.
    function find(address factory, bytes4 getter, address[] calldata tokens) external view returns (address[] memory pairs) {
        pairs = new address[](tokens.length / 2);
        for (uint256 i = 0; i < pairs.length; ++i) {
            (bool ok, bytes memory data) =
                factory.staticcall(abi.encodeWithSelector(getter, tokens[2 * i], tokens[2 * i + 1]));
            if (ok && data.length >= 32) pairs[i] = address(uint160(uint256(bytes32(data))));
        }
    }

    /// @notice One word a pair: 1 in the top bit, then reserve0 and reserve1 of 112 bits each in the low 224.
    /// Zero if the pair does not answer.
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
