// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";

/// @title Transfers
/// @notice Moves tokens and reads balances, for tokens that return true, return nothing, return false or have no code.
/// @dev Guard and Executor call other contracts only by the selectors here and those of the pools. Revert data is forwarded; the
///   errors below are for empty revert data and for a returned false. Each function equals the Solidity call on IERC20 with its
///   return value checked; the assembly saves memory and the second code-size check. It uses scratch space below 0x80 and restores
///   the free memory pointer.
library Transfers {
    error TransferFailed(address token, address to, uint256 amount);
    error NativeTransferFailed(address to, uint256 amount);
    error ReadFailed(address target);

    /// @notice Equals IERC20(token).balanceOf(account).
    function balanceOf(address token, address account) internal view returns (uint256 held) {
        bool ok;
        assembly ("memory-safe") {
            mstore(0x00, 0x70a08231)
            mstore(0x20, account)
            // A token without code returns no data and fails the length check.
            ok := staticcall(gas(), token, 0x1c, 0x24, 0x00, 0x20)
            ok := and(ok, gt(returndatasize(), 0x1f))
            held := mload(0x00)
        }
        if (!ok) revert ReadFailed(token);
    }

    /// @notice `IERC20(token).transfer(to, amount)`; no return data counts as true if the token has code.
    function transfer(address token, address to, uint256 amount) internal {
        bool ok;
        assembly ("memory-safe") {
            mstore(0x14, to)
            mstore(0x34, amount)
            mstore(0x00, 0xa9059cbb000000000000000000000000)
            ok := call(gas(), token, 0, 0x10, 0x44, 0x00, 0x20)
            // Not true: forwards the revert, or accepts empty return data if the token has code.
            if iszero(and(ok, and(eq(mload(0x00), 1), gt(returndatasize(), 0x1f)))) {
                if and(iszero(ok), gt(returndatasize(), 0)) {
                    returndatacopy(0x00, 0x00, returndatasize())
                    revert(0x00, returndatasize())
                }
                ok := and(ok, and(iszero(returndatasize()), gt(extcodesize(token), 0)))
            }
            // Restores the upper bytes of the free memory pointer, which are zero.
            mstore(0x34, 0)
        }
        if (!ok) revert TransferFailed(token, to, amount);
    }

    /// @notice `IERC20(token).transferFrom(from, to, amount)`; no return data counts as true if the token has code.
    function transferFrom(address token, address from, address to, uint256 amount) internal {
        bool ok;
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(0x60, amount)
            mstore(0x40, to)
            mstore(0x2c, shl(96, from))
            mstore(0x0c, 0x23b872dd000000000000000000000000)
            ok := call(gas(), token, 0, 0x1c, 0x64, 0x00, 0x20)
            // Not true: forwards the revert, or accepts empty return data if the token has code.
            if iszero(and(ok, and(eq(mload(0x00), 1), gt(returndatasize(), 0x1f)))) {
                if and(iszero(ok), gt(returndatasize(), 0)) {
                    returndatacopy(0x00, 0x00, returndatasize())
                    revert(0x00, returndatasize())
                }
                ok := and(ok, and(iszero(returndatasize()), gt(extcodesize(token), 0)))
            }
            mstore(0x60, 0)
            mstore(0x40, free)
        }
        if (!ok) revert TransferFailed(token, to, amount);
    }

    /// @notice `IERC20(token).approve(spender, amount)`; no return data counts as true if the token has code.
    function approve(address token, address spender, uint256 amount) internal {
        bool ok;
        assembly ("memory-safe") {
            mstore(0x14, spender)
            mstore(0x34, amount)
            mstore(0x00, 0x095ea7b3000000000000000000000000)
            ok := call(gas(), token, 0, 0x10, 0x44, 0x00, 0x20)
            // Not true: forwards the revert, or accepts empty return data if the token has code.
            if iszero(and(ok, and(eq(mload(0x00), 1), gt(returndatasize(), 0x1f)))) {
                if and(iszero(ok), gt(returndatasize(), 0)) {
                    returndatacopy(0x00, 0x00, returndatasize())
                    revert(0x00, returndatasize())
                }
                ok := and(ok, and(iszero(returndatasize()), gt(extcodesize(token), 0)))
            }
            mstore(0x34, 0)
        }
        if (!ok) revert TransferFailed(token, spender, amount);
    }

    /// @notice Sets this contract's approval of `spender` to zero if any of it is left.
    function clearApproval(address token, address spender) internal {
        if (IERC20(token).allowance(address(this), spender) != 0) approve(token, spender, 0);
    }

    /// @notice Returns the balance of a token, or of native token if `token` is zero.
    function heldOf(address token, address account) internal view returns (uint256) {
        return token == address(0) ? account.balance : balanceOf(token, account);
    }

    /// @notice Sends a token, or native token if `token` is zero; does nothing if `to` is this contract.
    function passOn(address token, address to, uint256 amount) internal {
        if (to == address(this)) return;
        if (token == address(0)) sendNative(to, amount);
        else transfer(token, to, amount);
    }

    /// @notice Equals IWrappedNative(wrapper).deposit{value: amount}() without the check that the wrapper has code.
    function wrap(address wrapper, uint256 amount) internal {
        assembly ("memory-safe") {
            mstore(0x00, 0xd0e30db0)
            if iszero(call(gas(), wrapper, amount, 0x1c, 0x04, 0, 0)) {
                let free := mload(0x40)
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
        }
    }

    /// @notice Equals IWrappedNative(wrapper).withdraw(amount) without the check that the wrapper has code.
    function unwrap(address wrapper, uint256 amount) internal {
        assembly ("memory-safe") {
            mstore(0x00, 0x2e1a7d4d)
            mstore(0x20, amount)
            if iszero(call(gas(), wrapper, 0, 0x1c, 0x24, 0, 0)) {
                let free := mload(0x40)
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
        }
    }

    /// @notice Sends native token with all remaining gas. Callers hold a lock against re-entry.
    /// @param amount Wei.
    function sendNative(address to, uint256 amount) internal {
        bool ok;
        assembly ("memory-safe") {
            ok := call(gas(), to, amount, 0, 0, 0, 0)
        }
        if (!ok) revert NativeTransferFailed(to, amount);
    }
}
