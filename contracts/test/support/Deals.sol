// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IGuard} from "../../src/interfaces/IGuard.sol";

/// @notice All parameters of a swap, for each of the six functions.
struct Deal {
    address tokenIn;
    uint256 amountIn;
    /// @dev Native token that is sent with the call.
    uint256 value;
    address tokenOut;
    uint256 minOutput;
    uint256 deadline;
    address executor;
    address wrapper;
    uint256 feePpm;
    address feeRecipient;
    /// @dev Caller, and recipient of the output. The plain functions pay the caller.
    address sender;
    address recipient;
    bool direct;
    /// @dev The sender's signed permit, as `abi.encode(IGuard.Permit)`; empty for none.
    bytes permit;
}

library Deals {
    /// @return The call of the Guard, by the simplest function that supports the parameters.
    function encode(Deal memory deal, bytes memory program) internal pure returns (bytes memory) {
        IGuard.Order memory order =
            IGuard.Order(deal.tokenIn, deal.tokenOut, deal.minOutput, deal.deadline, deal.executor);
        if (deal.permit.length != 0) {
            IGuard.Permit memory permit = abi.decode(deal.permit, (IGuard.Permit));
            if (deal.direct) {
                return abi.encodeCall(IGuard.swapDirectWithPermit, (deal.amountIn, deal.recipient, order, permit, program));
            }
            return abi.encodeCall(IGuard.swapWithPermit, (deal.amountIn, order, permit, payoutOf(deal), program));
        }
        if (deal.direct) return abi.encodeCall(IGuard.swapDirect, (deal.amountIn, deal.recipient, order, program));
        bool plain = deal.wrapper == address(0) && deal.feePpm == 0 && deal.recipient == deal.sender;
        if (!plain || (deal.value != 0 && deal.value != deal.amountIn)) {
            return abi.encodeCall(IGuard.swapWithPayout, (deal.amountIn, order, payoutOf(deal), program));
        }
        if (deal.value != 0) return abi.encodeCall(IGuard.swapNative, (order, program));
        return abi.encodeCall(IGuard.swap, (deal.amountIn, order, program));
    }

    function payoutOf(Deal memory deal) private pure returns (IGuard.Payout memory) {
        return IGuard.Payout(deal.recipient, deal.feePpm, deal.feeRecipient, deal.wrapper);
    }

    /// @notice Makes the call, and reverts with its revert data.
    function send(Deal memory deal, address guard, bytes memory program) internal returns (uint256 amountOut) {
        return call(guard, deal.value, encode(deal, program));
    }

    /// @return word First word of the return data; zero if there is none, as when a test expects a revert.
    function call(address target, uint256 value, bytes memory data) internal returns (uint256 word) {
        (bool ok, bytes memory answer) = target.call{value: value}(data);
        assembly ("memory-safe") {
            if iszero(ok) { revert(add(answer, 0x20), mload(answer)) }
            if gt(mload(answer), 0x1f) { word := mload(add(answer, 0x20)) }
        }
    }
}
