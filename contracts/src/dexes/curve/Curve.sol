// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../../interfaces/IExecutor.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title Curve
/// @notice Swaps in stable and crypto pools: old ones that return nothing, NG ones that are paid first, and pools of native token.
///   Also swaps in pools of crvUSD and LlamaLend, whose call is that of crypto pools, and in pools of Saddle.
/// @dev Measures the output and forwards it if the pool pays its caller.
library Curve {
    using Transfers for address;

    uint256 private constant UINT256 = 1;
    uint256 private constant INT128_RECEIVED = 2;
    uint256 private constant UINT256_RECEIVED = 3;
    uint256 private constant UINT8 = 4;
    /// @dev Selectors of `ICurvePool` by variant, four bytes each.
    bytes32 private constant SELECTORS = hex"3df021245b41b908afb43012767691e791695586";

    struct Swap {
        uint256 variant;
        uint256 i;
        uint256 j;
        address tokenIn;
        address tokenOut;
        address pool;
        address to;
    }

    /// @notice opcode, flags, amount, tokenIn, variant 1, i 1, j 1, tokenOut 20, pool 20, address. Zero is native.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        uint256 amount;
        Swap memory swap;
        (amount, swap.tokenIn, next) = Program.readInput(at, flags);
        swap.variant = Program.readByte(next);
        swap.i = Program.readByte(next + 1);
        swap.j = Program.readByte(next + 2);
        (swap.tokenOut, next) = Program.readAddress(next + 3);
        (swap.pool, next) = Program.readAddress(next);
        (swap.to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);

        if (swap.variant > UINT8) revert IExecutor.InvalidStep(flags);
        if (swap.variant == INT128_RECEIVED || swap.variant == UINT256_RECEIVED) _sendAhead(swap, flags, amount);
        else _exchange(swap, Inputs.take(flags, amount, swap.tokenIn));
    }

    function _sendAhead(Swap memory swap, uint256 flags, uint256 amount) private {
        // NG pools record their balances, so the pool sees the growth of its balance as received.
        uint256 before = swap.tokenIn.balanceOf(swap.pool);
        Inputs.pay(flags, amount, swap.tokenIn, swap.pool);
        amount = swap.tokenIn.balanceOf(swap.pool) - before;
        _call(swap, 0, amount, uint160(swap.to));
    }

    function _exchange(Swap memory swap, uint256 amount) private {
        uint256 before = swap.tokenOut.heldOf(address(this));
        bool native = swap.tokenIn == address(0);
        if (!native) swap.tokenIn.approve(swap.pool, amount);
        // The last argument of Saddle is a deadline.
        _call(swap, native ? amount : 0, amount, type(uint256).max);
        if (!native) Inputs.requireSpent(swap.tokenIn, swap.pool);
        swap.tokenOut.passOn(swap.to, swap.tokenOut.heldOf(address(this)) - before);
    }

    /// @dev Calls the pool. All variants have the arguments i, j, amount, and a minimum output of zero. All but the two variants of
    ///   `exchange` have one more.
    function _call(Swap memory swap, uint256 value, uint256 amount, uint256 lastArgument) private {
        uint256 selector = uint32(bytes4(SELECTORS << swap.variant * 32));
        uint256 length = swap.variant > UINT256 ? 0xa4 : 0x84;
        (uint256 i, uint256 j, address pool) = (swap.i, swap.j, swap.pool);
        assembly ("memory-safe") {
            if iszero(extcodesize(pool)) { revert(0, 0) }
            let free := mload(0x40)
            mstore(free, selector)
            mstore(add(free, 0x20), i)
            mstore(add(free, 0x40), j)
            mstore(add(free, 0x60), amount)
            mstore(add(free, 0x80), 0)
            mstore(add(free, 0xa0), lastArgument)
            if iszero(call(gas(), pool, value, add(free, 0x1c), length, 0, 0)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
        }
    }
}
