// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../../interfaces/IExecutor.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";

/// @title UniswapV3
/// @notice Swaps in pools that are paid in a callback (int256 amount0, int256 amount1, bytes) of any name.
library UniswapV3 {
    /// @dev No price limit: one inside the bounds of TickMath, which are the same in every fork.
    uint160 private constant LOWEST_PRICE = 4295128740;
    uint160 private constant HIGHEST_PRICE = 1461446703485210103287273052203988822378723970341;

    /// @notice opcode, flags, amount, tokenIn, pool 20, address.
    /// @dev `token` is the input token.
    function read(uint256 at, uint256 flags, uint256 end)
        internal
        view
        returns (address pool, address token, uint256 amount, address to, uint256 next)
    {
        (amount, token, next) = Program.readInput(at, flags);
        (pool, next) = Program.readAddress(next);
        (to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);
        if (!Program.isPulled(flags)) amount = Inputs.resolve(flags, amount, token);
        // The pool reads a negative number as an exact output.
        if (amount > uint256(type(int256).max)) revert IExecutor.InvalidStep(flags);
    }

    /// @dev Equals IUniswapV3Pool(pool).swap(to, zeroForOne, int256(amount), limit, "").
    /// @return consumed Base units of the input that the pool reports to have taken; any number if it returns less than two words.
    function swap(address pool, address to, bool zeroForOne, uint256 amount) internal returns (uint256 consumed) {
        assembly ("memory-safe") {
            let limit := xor(HIGHEST_PRICE, mul(xor(LOWEST_PRICE, HIGHEST_PRICE), zeroForOne))
            let free := mload(0x40)
            mstore(free, 0x128acb08) // swap(address,bool,int256,uint160,bytes)
            mstore(add(free, 0x20), to)
            mstore(add(free, 0x40), zeroForOne)
            mstore(add(free, 0x60), amount)
            mstore(add(free, 0x80), limit)
            mstore(add(free, 0xa0), 0xa0)
            mstore(add(free, 0xc0), 0)
            if iszero(call(gas(), pool, 0, add(free, 0x1c), 0xc4, 0x00, 0x40)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
            // Two words of scratch space below the free memory pointer.
            consumed := mload(shl(5, iszero(zeroForOne)))
        }
    }

    /// @notice Returns the amount that the calling pool is owed, in base units: the positive one of its two arguments.
    function owed() internal pure returns (uint256 amount) {
        assembly ("memory-safe") {
            amount := calldataload(4)
            if slt(amount, 1) { amount := calldataload(36) }
        }
    }
}
