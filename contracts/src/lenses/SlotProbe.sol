// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";

/// @title SlotProbe
/// @notice Reads a token for many owners whose storage an eth_call overrides; never deployed.
contract SlotProbe {
    /// @dev A failed read is 2^256 - 2, which no token returns.
    struct Reading {
        uint256 balance;
        uint256 allowance;
    }

    uint256 private constant READ_GAS = 1_000_000;
    /// @dev Threshold between the costs of a warm (100) and a cold account (2,600), EIP-2929.
    uint256 private constant WARM_GAS = 1_000;

    /// @notice Returns the balances and allowances of the owners `first`, `first + 1`, and so on.
    function read(address token, address spender, address first, uint256 count)
        external
        view
        returns (Reading[] memory readings)
    {
        readings = new Reading[](count);
        for (uint160 i = 0; i < count; ++i) {
            address owner = address(uint160(first) + i);
            readings[i].balance = _word(token, abi.encodeCall(IERC20.balanceOf, (owner)));
            if (spender != address(0)) {
                readings[i].allowance = _word(token, abi.encodeCall(IERC20.allowance, (owner, spender)));
            }
        }
    }

    /// @notice Returns which of `accounts` the token accesses for `balanceOf(owner)` or `allowance(owner, owner)`.
    function touched(address token, address owner, address[] calldata accounts) external view returns (bool[] memory warm) {
        _word(token, abi.encodeCall(IERC20.balanceOf, (owner)));
        _word(token, abi.encodeCall(IERC20.allowance, (owner, owner)));
        warm = new bool[](accounts.length);
        for (uint256 i = 0; i < accounts.length; ++i) {
            address account = accounts[i];
            uint256 used;
            assembly ("memory-safe") {
                let gasBefore := gas()
                // A call without gas fails at once, so that it costs only the access.
                pop(staticcall(0, account, 0, 0, 0, 0))
                used := sub(gasBefore, gas())
            }
            warm[i] = used < WARM_GAS;
        }
    }

    /// @notice As the spender: moves `amount` from `owner` to `to`, and returns the balances before and after.
    function take(address token, address owner, address to, uint256 amount)
        external
        returns (uint256 ownerBefore, uint256 ownerAfter, uint256 received)
    {
        ownerBefore = _word(token, abi.encodeCall(IERC20.balanceOf, (owner)));
        uint256 before = _word(token, abi.encodeCall(IERC20.balanceOf, (to)));
        // Return values may be wrong, so only balances count.
        (bool ok,) = token.call(abi.encodeCall(IERC20.transferFrom, (owner, to, amount)));
        ok;
        ownerAfter = _word(token, abi.encodeCall(IERC20.balanceOf, (owner)));
        received = _word(token, abi.encodeCall(IERC20.balanceOf, (to)));
        received = received > before ? received - before : 0;
    }

    /// @dev Returns the first word of the return data; 2^256 - 2 if the call fails.
    function _word(address token, bytes memory input) private view returns (uint256 word) {
        assembly ("memory-safe") {
            word := not(1)
            if staticcall(READ_GAS, token, add(input, 32), mload(input), 0, 32) {
                if gt(returndatasize(), 31) { word := mload(0) }
            }
        }
    }
}
