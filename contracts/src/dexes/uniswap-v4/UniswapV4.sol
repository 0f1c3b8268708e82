// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IExecutor} from "../../interfaces/IExecutor.sol";
import {IUniswapV4PoolManager} from "../../interfaces/IUniswapV4PoolManager.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";

/// @title UniswapV4
/// @notice One or several pools of the singleton inside one unlock; zero is native.
library UniswapV4 {
    /// @dev One inside TickMath's bounds: no limit.
    uint160 private constant LOWEST_PRICE = 4295128740;
    uint160 private constant HIGHEST_PRICE = 1461446703485210103287273052203988822378723970341;

    /// @dev Flag bit 6: each hop names its hooks.
    uint256 private constant HOOKS = 64;

    /// @notice opcode, flags, amount, manager 20, tokenIn 20, hops 1, {tokenOut 20, fee 3, tickSpacing 3, hooks 20 where
    ///   flag bit 6 is set} × hops, recipient.
    /// @return manager What calls back.
    /// @return token What is paid; zero for native.
    /// @return data For the callback: amount 32, recipient 20, flags 1, tokenIn 20, hops as in the program.
    /// @return next Where the step ends.
    function read(uint256 at, uint256 flags, uint256 end)
        internal
        view
        returns (address manager, address token, bytes memory data, uint256 next)
    {
        uint256 amount;
        address to;
        (amount, next) = Program.readAmount(at, flags);
        (manager, next) = Program.readAddress(next);
        at = next;
        (token, next) = Program.readAddress(next);
        next += 1 + Program.readByte(next) * (flags & HOOKS == 0 ? 26 : 46);
        uint256 hopsEnd = next;
        (to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);
        amount = Inputs.resolve(flags, amount, token);
        // The manager would take a positive number for an exact output.
        if (amount > uint256(type(int256).max)) revert IExecutor.InvalidStep(flags);
        data = abi.encodePacked(amount, to, uint8(flags), msg.data[at:hopsEnd]);
    }

    /// @notice The manager's callback, unlockCallback(bytes data).
    /// @param pulled Whether the sender pays.
    /// @param pay Pays the manager an ERC-20.
    function settle(bool pulled, function(bool, uint256) internal pay) internal {
        uint256 amount;
        assembly ("memory-safe") {
            amount := calldataload(68)
        }
        (address to, uint256 at) = Program.readAddress(100);
        bool hooked = Program.readByte(at) & HOOKS != 0;
        (address token, uint256 hopsAt) = Program.readAddress(at + 1);
        address tokenIn = token;
        uint256 hops = Program.readByte(hopsAt);
        at = hopsAt + 1;
        uint256 owed;
        for (uint256 k; k < hops; ++k) {
            uint256 spent;
            (token, spent, amount, at) = _swap(token, amount, at, hooked);
            if (k == 0) owed = spent;
        }

        IUniswapV4PoolManager manager = IUniswapV4PoolManager(msg.sender);
        if (tokenIn == address(0)) {
            manager.settle{value: owed}();
        } else {
            manager.sync(tokenIn);
            pay(pulled, owed);
            manager.settle();
        }
        manager.take(token, to, amount);
    }

    /// @return tokenOut What the pool gave.
    /// @return spent How much it took.
    /// @return amountOut How much it gave.
    /// @return next Where the hop ends.
    function _swap(address tokenIn, uint256 amount, uint256 at, bool hooked)
        private
        returns (address tokenOut, uint256 spent, uint256 amountOut, uint256 next)
    {
        IUniswapV4PoolManager.PoolKey memory key;
        uint256 value;
        (tokenOut, next) = Program.readAddress(at);
        (value, next) = Program.readUint24(next);
        key.fee = uint24(value);
        (value, next) = Program.readUint24(next);
        key.tickSpacing = int24(uint24(value));
        if (hooked) (key.hooks, next) = Program.readAddress(next);
        bool zeroForOne = tokenIn < tokenOut;
        (key.currency0, key.currency1) = zeroForOne ? (tokenIn, tokenOut) : (tokenOut, tokenIn);

        int256 delta = IUniswapV4PoolManager(msg.sender).swap(
            key,
            IUniswapV4PoolManager.SwapParams(zeroForOne, -int256(amount), zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE),
            ""
        );
        int128 delta0 = int128(delta >> 128);
        int128 delta1 = int128(delta);
        // unchecked: the input is owed and so negative, the output positive; a hook that turns either makes a huge number,
        // which nobody can pay.
        unchecked {
            spent = uint256(-int256(zeroForOne ? delta0 : delta1));
            amountOut = uint256(int256(zeroForOne ? delta1 : delta0));
        }
    }
}
