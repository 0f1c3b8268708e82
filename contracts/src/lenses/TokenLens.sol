// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";
import {IERC20Metadata} from "../interfaces/IERC20Metadata.sol";

/// @title TokenLens
/// @notice Finds the tokens among many addresses, in one eth_call; never deployed. The contract at an address may be
///   hostile: each call gets a fixed amount of gas, and only one word of its return data is read.
contract TokenLens {
    /// @dev Proxies of nested share tokens use up to 150,000.
    uint256 private constant BALANCE_GAS = 200_000;
    uint256 private constant DECIMALS_GAS = 100_000;
    /// @dev For one address including the overhead of its calls; a call gets at most 63/64 of the remaining gas.
    uint256 private constant ENOUGH_GAS = 450_000;

    /// @dev Flag: the address returns a word for `balanceOf`.
    uint256 private constant IS_TOKEN = 1 << 16;
    /// @dev Flag: the low byte contains the decimals.
    uint256 private constant HAS_DECIMALS = 1 << 8;

    /// @notice Returns one word for each address, in order, until the gas does not suffice. The word is zero if the
    ///   address is not a token. Otherwise it is IS_TOKEN, and HAS_DECIMALS with the decimals in the low byte if the
    ///   token has decimals below 256.
    function look(address[] calldata accounts) external view returns (uint256[] memory words) {
        words = new uint256[](accounts.length);
        uint256 looked = 0;
        for (; looked < accounts.length && gasleft() > ENOUGH_GAS; ++looked) {
            address account = accounts[looked];
            if (account.code.length == 0) continue;
            (bool answers,) = _word(account, BALANCE_GAS, abi.encodeCall(IERC20.balanceOf, (address(this))));
            if (!answers) continue;
            (bool hasDecimals, uint256 decimals) = _word(account, DECIMALS_GAS, abi.encodeCall(IERC20Metadata.decimals, ()));
            words[looked] = IS_TOKEN | (hasDecimals && decimals < 256 ? HAS_DECIMALS | decimals : 0);
        }
        assembly ("memory-safe") {
            mstore(words, looked)
        }
    }

    /// @dev Returns the first word of the return data. `ok` is false if the call fails or returns less.
    function _word(address account, uint256 gasLimit, bytes memory input) private view returns (bool ok, uint256 word) {
        assembly ("memory-safe") {
            ok := staticcall(gasLimit, account, add(input, 32), mload(input), 0, 32)
            ok := and(ok, gt(returndatasize(), 31))
            word := mload(0)
        }
    }
}
