// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IGuard} from "../../src/interfaces/IGuard.sol";
import {IPermit2} from "../../src/interfaces/IPermit2.sol";
import {Genuine} from "./Genuine.sol";

interface ISigned {
    function nonces(address owner) external view returns (uint256);
    function DOMAIN_SEPARATOR() external view returns (bytes32);
}

/// @notice Signs permits like wallets, for the test tokens and for the published Permit2.
abstract contract Signing is Genuine {
    IPermit2 internal constant PERMIT2 = IPermit2(0x000000000022D473030F116dDEE9F6B43aC78BA3);

    bytes32 private constant EIP2612 =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    bytes32 private constant DAI =
        keccak256("Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)");
    bytes32 private constant DETAILS =
        keccak256("PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)");
    bytes32 private constant SINGLE = keccak256(
        "PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)"
    );

    function deployPermit2() internal {
        vm.etch(address(PERMIT2), published("@1inch/solidity-utils/dist/src/permit2.json", ".bytecode"));
    }

    /// @return Permit that the owner of `key` signs, valid until the end of the second.
    function permission(IGuard.PermitKind kind, uint256 key, address token, address spender, uint160 amount)
        internal
        view
        returns (IGuard.Permit memory)
    {
        address owner = vm.addr(key);
        uint256 deadline = block.timestamp;
        if (kind == IGuard.PermitKind.Permit2) {
            (,, uint48 next) = PERMIT2.allowance(owner, token, spender);
            bytes32 details = keccak256(abi.encode(DETAILS, token, amount, uint48(deadline), next));
            bytes memory by = sign(key, address(PERMIT2), keccak256(abi.encode(SINGLE, details, spender, deadline)));
            return IGuard.Permit(kind, amount, next, deadline, by);
        }
        uint256 nonce = ISigned(token).nonces(owner);
        bytes32 hash = kind == IGuard.PermitKind.Dai
            ? keccak256(abi.encode(DAI, owner, spender, nonce, deadline, true))
            : keccak256(abi.encode(EIP2612, owner, spender, uint256(amount), nonce, deadline));
        return IGuard.Permit(kind, amount, nonce, deadline, sign(key, token, hash));
    }

    /// @return target Contract at which anyone can submit a permit.
    /// @return data The call that does it.
    function submission(address owner, address token, address spender, IGuard.Permit memory permit)
        internal
        pure
        returns (address target, bytes memory data)
    {
        if (permit.kind == IGuard.PermitKind.Permit2) {
            IPermit2.PermitDetails memory details =
                IPermit2.PermitDetails(token, uint160(permit.amount), uint48(permit.deadline), uint48(permit.nonce));
            IPermit2.PermitSingle memory single = IPermit2.PermitSingle(details, spender, permit.deadline);
            return (address(PERMIT2), abi.encodeCall(IPermit2.permit, (owner, single, permit.signature)));
        }
        (bytes32 r, bytes32 s, uint8 v) = split(permit.signature);
        target = token;
        data = permit.kind == IGuard.PermitKind.Dai
            ? abi.encodeWithSignature(
                "permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)",
                owner, spender, permit.nonce, permit.deadline, true, v, r, s
            )
            : abi.encodeWithSignature(
                "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
                owner, spender, permit.amount, permit.deadline, v, r, s
            );
    }

    function sign(uint256 key, address verifier, bytes32 hash) private view returns (bytes memory) {
        bytes32 domain = ISigned(verifier).DOMAIN_SEPARATOR();
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, keccak256(abi.encodePacked("\x19\x01", domain, hash)));
        return abi.encodePacked(r, s, v);
    }

    function split(bytes memory signature) private pure returns (bytes32 r, bytes32 s, uint8 v) {
        assembly ("memory-safe") {
            r := mload(add(signature, 0x20))
            s := mload(add(signature, 0x40))
            v := byte(0, mload(add(signature, 0x60)))
        }
    }
}
