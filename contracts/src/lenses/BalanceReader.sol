// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";

/// @title BalanceReader
/// @notice Reads the balances of a swap's parties in its two tokens, including tokens that return malformed data.
abstract contract BalanceReader {
    /// @dev `ok` is false if the token did not return one word.
    struct Reading {
        bool ok;
        uint256 amount;
    }

    /// @dev Input token of the account, its allowance for the spender, and output token of the recipient, in base
    ///   units.
    struct Balances {
        Reading tokenIn;
        Reading allowance;
        Reading tokenOut;
    }

    /// @dev For one balanceOf or allowance. Rebasing tokens behind proxies stay below 200,000.
    uint256 private constant READ_GAS = 1_000_000;

    /// @dev Returns the balances of a swap. The balance of the output token is the recipient's.
    function _balances(address account, address tokenIn, address tokenOut, address spender, address recipient)
        internal
        view
        returns (Balances memory balances)
    {
        balances.tokenIn = _balance(account, tokenIn);
        if (tokenIn != address(0)) {
            balances.allowance = _read(tokenIn, abi.encodeCall(IERC20.allowance, (account, spender)));
        }
        balances.tokenOut = _balance(recipient, tokenOut);
    }

    /// @dev Returns a balance of a token, or of native token if `token` is zero.
    function _balance(address account, address token) private view returns (Reading memory) {
        if (token == address(0)) return Reading(true, account.balance);
        return _read(token, abi.encodeCall(IERC20.balanceOf, (account)));
    }

    /// @dev Calls a getter. Copies only the first word, for any length of the return data.
    function _read(address token, bytes memory input) private view returns (Reading memory reading) {
        bool ok;
        uint256 amount;
        assembly ("memory-safe") {
            ok := staticcall(READ_GAS, token, add(input, 32), mload(input), 0, 32)
            ok := and(ok, gt(returndatasize(), 31))
            amount := mul(ok, mload(0))
        }
        return Reading(ok, amount);
    }
}
