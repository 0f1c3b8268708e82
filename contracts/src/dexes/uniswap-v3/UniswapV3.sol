// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../../interfaces/IExecutor.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";

/// @title UniswapV3
/// @notice Pools that ask for their payment in a callback (int256 amount0, int256 amount1, bytes), whatever its name.
library UniswapV3 {
    /// @dev One inside TickMath's bounds, which are the same in every fork: no limit.
    uint160 private constant LOWEST_PRICE = 4295128740;
    uint160 private constant HIGHEST_PRICE = 1461446703485210103287273052203988822378723970341;

    /// @notice opcode, flags, amount, tokenIn, pool 20, address.
    /// @dev `token` is what is paid.
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
        // The pool would take a negative number for an exact output.
        if (amount > uint256(type(int256).max)) revert IExecutor.InvalidStep(flags);
    }

    /// @dev Equals IUniswapV3Pool(pool).swap(to, zeroForOne, int256(amount), limit, "").
    function swap(address pool, address to, bool zeroForOne, uint256 amount) internal {
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
            if iszero(call(gas(), pool, 0, add(free, 0x1c), 0xc4, 0, 0)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
        }
    }

    /// @notice What the pool that calls back asks for: the positive one of its two amounts.
    function owed() internal pure returns (uint256 amount) {
        assembly ("memory-safe") {
            amount := calldataload(4)
            if slt(amount, 1) { amount := calldataload(36) }
        }
    }
}
