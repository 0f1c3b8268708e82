// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IDaiPermit} from "../interfaces/IDaiPermit.sol";
import {IERC2612} from "../interfaces/IERC2612.sol";
import {IGuard} from "../interfaces/IGuard.sol";
import {IPermit2} from "../interfaces/IPermit2.sol";

/// @title Permits
/// @notice Passes the sender's signed permission on, to the token or to Permit2.
/// @dev One call by one of three fixed selectors, with the sender as owner and the Guard as spender. Its outcome is not looked
///   at: anyone may have used the signature before, and the draw tells whether the allowance is there.
library Permits {
    /// @dev The same on every chain: deployed through the keyless CREATE2 deployer, as the Guard is.
    address internal constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;

    /// @notice Does nothing for an empty signature.
    function give(IGuard.Permit calldata permit, address token) internal {
        bytes calldata signature = permit.signature;
        if (signature.length == 0) return;
        if (permit.kind == IGuard.PermitKind.Permit2) {
            // Too wide a number is cut here and makes a permission that nobody signed.
            IPermit2.PermitDetails memory details =
                IPermit2.PermitDetails(token, uint160(permit.amount), uint48(permit.deadline), uint48(permit.nonce));
            IPermit2.PermitSingle memory single = IPermit2.PermitSingle(details, address(this), permit.deadline);
            return _call(PERMIT2, abi.encodeCall(IPermit2.permit, (msg.sender, single, signature)));
        }
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly ("memory-safe") {
            // A shorter signature takes in what stands behind it, which nobody signed.
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

    /// @notice `IPermit2(PERMIT2).transferFrom(from, to, amount, token)`; Permit2 reverts where the token fails, or the amount
    ///   is wider than its words.
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

    /// @dev Neither the outcome nor the answer is read.
    function _call(address target, bytes memory data) private {
        assembly ("memory-safe") {
            pop(call(gas(), target, 0, add(data, 0x20), mload(data), 0, 0))
        }
    }
}
