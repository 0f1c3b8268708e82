// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IDaiPermit} from "../interfaces/IDaiPermit.sol";
import {IERC2612} from "../interfaces/IERC2612.sol";
import {IGuard} from "../interfaces/IGuard.sol";
import {IPermit2} from "../interfaces/IPermit2.sol";

/// @title Permits
/// @notice Submits the sender's signed permit to the token or to Permit2.
/// @dev Makes one call with one of three fixed selectors, the sender as owner, and the Guard as spender. A failure is ignored: anyone
///   may have submitted the signature before, and the transfer fails if the allowance is missing.
library Permits {
    /// @dev Address of Permit2 on every chain.
    address internal constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;

    /// @notice Submits a permit; does nothing if the signature is empty.
    /// @param token Input token of the order.
    function give(IGuard.Permit calldata permit, address token) internal {
        bytes calldata signature = permit.signature;
        if (signature.length == 0) return;
        if (permit.kind == IGuard.PermitKind.Permit2) {
            // Permit2's fields have 160 and 48 bits. Higher bits are cut, and Permit2 checks the signature against the cut numbers:
            // the permit is what the sender signed, or fails.
            IPermit2.PermitDetails memory details =
                IPermit2.PermitDetails(token, uint160(permit.amount), uint48(permit.deadline), uint48(permit.nonce));
            IPermit2.PermitSingle memory single = IPermit2.PermitSingle(details, address(this), permit.deadline);
            return _call(PERMIT2, abi.encodeCall(IPermit2.permit, (msg.sender, single, signature)));
        }
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly ("memory-safe") {
            // A shorter signature is read with the bytes behind it, and the token refuses it.
            r := calldataload(signature.offset)
            s := calldataload(add(signature.offset, 0x20))
            v := byte(0, calldataload(add(signature.offset, 0x40)))
        }
        bytes memory data = permit.kind == IGuard.PermitKind.Dai
            ? abi.encodeCall(
                IDaiPermit.permit, (msg.sender, address(this), permit.nonce, permit.deadline, true, v, r, s)
            )
            : abi.encodeCall(IERC2612.permit, (msg.sender, address(this), permit.amount, permit.deadline, v, r, s));
        _call(token, data);
    }

    /// @notice Equals IPermit2(PERMIT2).transferFrom(from, to, amount, token). An amount of more than 160 bits reverts.
    function transferFrom(address token, address from, address to, uint256 amount) internal {
        address permit2 = PERMIT2;
        bool ok;
        assembly ("memory-safe") {
            let data := mload(0x40)
            mstore(data, 0x36c78516)
            mstore(add(data, 0x20), from)
            mstore(add(data, 0x40), to)
            mstore(add(data, 0x60), amount)
            mstore(add(data, 0x80), token)
            ok := call(gas(), permit2, 0, add(data, 0x1c), 0x84, 0, 0)
            if and(iszero(ok), gt(returndatasize(), 0)) {
                returndatacopy(data, 0x00, returndatasize())
                revert(data, returndatasize())
            }
            ok := and(ok, gt(extcodesize(permit2), 0))
        }
        if (!ok) revert IGuard.TransferFailed(token, to, amount);
    }

    /// @dev Calls `target` and ignores failure and return data.
    function _call(address target, bytes memory data) private {
        assembly ("memory-safe") {
            pop(call(gas(), target, 0, add(data, 0x20), mload(data), 0, 0))
        }
    }
}
