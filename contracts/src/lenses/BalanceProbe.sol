// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BalanceReader} from "./BalanceReader.sol";

/// @title BalanceProbe
/// @notice Reads balances before and after a transaction in a simulation without overrides (eth_simulateV1); never
///   deployed.
contract BalanceProbe is BalanceReader {
    /// @notice Returns the balances of `account` and `recipient`, and the allowance of `spender`.
    function read(address account, address tokenIn, address tokenOut, address spender, address recipient)
        external
        view
        returns (Balances memory)
    {
        return _balances(account, tokenIn, tokenOut, spender, recipient);
    }
}
