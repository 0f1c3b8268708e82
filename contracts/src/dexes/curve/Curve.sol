// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICurvePool} from "../../interfaces/ICurvePool.sol";
import {IExecutor} from "../../interfaces/IExecutor.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title Curve
/// @notice Swaps in stable and crypto pools: old ones that return nothing, NG ones that are paid first, and pools of native token.
/// @dev Measures the output and forwards it if the pool pays its caller.
library Curve {
    using Transfers for address;

    uint256 private constant INT128 = 0;
    uint256 private constant UINT256 = 1;
    uint256 private constant INT128_RECEIVED = 2;
    uint256 private constant UINT256_RECEIVED = 3;

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

        if (swap.variant > UINT256_RECEIVED) revert IExecutor.InvalidStep(flags);
        if (swap.variant >= INT128_RECEIVED) _sendAhead(swap, flags, amount);
        else _exchange(swap, Inputs.take(flags, amount, swap.tokenIn));
    }

    function _sendAhead(Swap memory swap, uint256 flags, uint256 amount) private {
        // NG pools record their balances, so the pool sees the growth of its balance as received.
        uint256 before = swap.tokenIn.balanceOf(swap.pool);
        Inputs.pay(flags, amount, swap.tokenIn, swap.pool);
        amount = swap.tokenIn.balanceOf(swap.pool) - before;
        ICurvePool pool = ICurvePool(swap.pool);
        if (swap.variant == INT128_RECEIVED) {
            pool.exchange_received(int128(uint128(swap.i)), int128(uint128(swap.j)), amount, 0, swap.to);
        } else {
            pool.exchange_received(swap.i, swap.j, amount, 0, swap.to);
        }
    }

    function _exchange(Swap memory swap, uint256 amount) private {
        uint256 before = swap.tokenOut.heldOf(address(this));
        bool native = swap.tokenIn == address(0);
        if (!native) swap.tokenIn.approve(swap.pool, amount);
        ICurvePool pool = ICurvePool(swap.pool);
        uint256 value = native ? amount : 0;
        if (swap.variant == INT128) {
            pool.exchange{value: value}(int128(uint128(swap.i)), int128(uint128(swap.j)), amount, 0);
        } else {
            pool.exchange{value: value}(swap.i, swap.j, amount, 0);
        }
        if (!native) Inputs.requireSpent(swap.tokenIn, swap.pool);
        swap.tokenOut.passOn(swap.to, swap.tokenOut.heldOf(address(this)) - before);
    }
}
