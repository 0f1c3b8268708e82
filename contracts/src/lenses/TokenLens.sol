// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";
import {IERC20Metadata} from "../interfaces/IERC20Metadata.sol";

/// @title TokenLens
/// @notice Tells which of many addresses are tokens, in one eth_call; never deployed. What stands at an address may be hostile:
///   each call gets a fixed amount of gas, and one word of its answer is looked at, however much it returns.
contract TokenLens {
    /// @dev Proxies that count shares of shares take up to 150,000.
    uint256 private constant BALANCE_GAS = 200_000;
    uint256 private constant DECIMALS_GAS = 100_000;
    /// @dev For one address with all that surrounds its calls; a call is given all but a 64th of what is left.
    uint256 private constant ENOUGH_GAS = 450_000;

    /// @dev It answers `balanceOf`.
    uint256 private constant IS_TOKEN = 1 << 16;
    /// @dev `decimals` stands in the low byte.
    uint256 private constant HAS_DECIMALS = 1 << 8;

    /// @notice One word for each of the first addresses, as many as the gas suffices for: zero for what is no token.
    function look(address[] calldata accounts) external view returns (uint256[] memory words) {
        words = new uint256[](accounts.length);
        uint256 looked = 0;
        for (; looked < accounts.length && gasleft() > ENOUGH_GAS; ++looked) {
            address account = accounts[looked];
            if (account.code.length == 0) continue;
            (bool answers,) = _word(account, BALANCE_GAS, abi.encodeCall(IERC20.balanceOf, (address(this))));
            if (!answers) continue;
            (bool tells, uint256 decimals) = _word(account, DECIMALS_GAS, abi.encodeCall(IERC20Metadata.decimals, ()));
            words[looked] = IS_TOKEN | (tells && decimals < 256 ? HAS_DECIMALS | decimals : 0);
        }
        assembly ("memory-safe") {
            mstore(words, looked)
        }
    }

    function _word(address account, uint256 gasLimit, bytes memory input) private view returns (bool ok, uint256 word) {
        assembly ("memory-safe") {
            ok := staticcall(gasLimit, account, add(input, 32), mload(input), 0, 32)
            ok := and(ok, gt(returndatasize(), 31))
            word := mload(0)
        }
    }
}
