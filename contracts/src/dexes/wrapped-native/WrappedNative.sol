// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../../interfaces/IExecutor.sol";
import {IWrappedNative} from "../../interfaces/IWrappedNative.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title WrappedNative
/// @notice Wraps and unwraps native token, one to one.
library WrappedNative {
    using Transfers for address;

    /// @notice opcode, flags, amount, wrapper 20, address.
    /// @return next Calldata offset after the step.
    function wrap(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        if (Program.inputKind(flags) > Program.HELD) revert IExecutor.InvalidStep(flags);
        uint256 amount;
        address wrapper;
        address to;
        (amount, next) = Program.readHeld(at, flags);
        (wrapper, next) = Program.readAddress(next);
        (to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);
        amount = Inputs.resolve(flags, amount, address(0));
        IWrappedNative(wrapper).deposit{value: amount}();
        if (to != address(this)) wrapper.transfer(to, amount);
    }

    /// @notice opcode, flags, amount, tokenIn, address. The wrapper is the input.
    /// @return next Calldata offset after the step.
    function unwrap(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        uint256 amount;
        address wrapper;
        address to;
        (amount, wrapper, next) = Program.readInput(at, flags);
        (to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);
        amount = Inputs.take(flags, amount, wrapper);
        IWrappedNative(wrapper).withdraw(amount);
        if (to != address(this)) to.sendNative(amount);
    }
}
