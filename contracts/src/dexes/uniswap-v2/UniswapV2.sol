// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title UniswapV2
/// @notice Swaps in constant-product pairs, which are paid before they swap. The fee is a field of the step.
/// @dev The input is the pair's balance above its reserve: the amount that arrived after any tax, or that was sent before.
library UniswapV2 {
    using Transfers for address;

    /// @notice opcode, flags, amount, tokenIn, pool 20, feePpm 3, address.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        uint256 amount;
        address tokenIn;
        address pool;
        uint256 feePpm;
        address to;
        (amount, tokenIn, next) = Program.readInput(at, flags);
        (pool, next) = Program.readAddress(next);
        (feePpm, next) = Program.readUint24(next);
        (to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);

        if (Program.inputKind(flags) != Program.AT_POOL) Inputs.pay(flags, amount, tokenIn, pool);
        _swap(pool, tokenIn.balanceOf(pool), Program.zeroForOne(flags), feePpm, to);
    }

    /// @dev Equals reserves = pool.getReserves(); pool.swap(amount0Out, amount1Out, to, "").
    ///   Arithmetic wraps only for a pair whose reserves or balance pass 112 bits, or a fee above 100 %: both hurt none but
    ///   the sender who named them, and the Guard checks the output. kept < 2^132, kept × reserve < 2^244.
    function _swap(address pool, uint256 poolBalance, bool zeroForOne, uint256 feePpm, address to) private {
        assembly ("memory-safe") {
            mstore(0x00, 0x0902f1ac) // getReserves()
            let ok := staticcall(gas(), pool, 0x1c, 0x04, 0x00, 0x40)
            if iszero(and(ok, gt(returndatasize(), 0x3f))) {
                mstore(0x00, 0x6379a90a) // ReadFailed(address)
                mstore(0x20, pool)
                revert(0x1c, 0x24)
            }
            let reserveIn := mload(shl(5, iszero(zeroForOne)))
            let reserveOut := mload(shl(5, zeroForOne))
            let kept := mul(sub(poolBalance, reserveIn), sub(1000000, feePpm))
            let amountOut := div(mul(kept, reserveOut), add(mul(reserveIn, 1000000), kept))

            let free := mload(0x40)
            mstore(free, 0x022c0d9f) // swap(uint256,uint256,address,bytes)
            mstore(add(free, 0x20), mul(amountOut, iszero(zeroForOne)))
            mstore(add(free, 0x40), mul(amountOut, zeroForOne))
            mstore(add(free, 0x60), to)
            mstore(add(free, 0x80), 0x80)
            mstore(add(free, 0xa0), 0)
            if iszero(call(gas(), pool, 0, add(free, 0x1c), 0xa4, 0, 0)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
        }
    }
}
