// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {IPoolManager} from "@uniswap/v4-core/src/interfaces/IPoolManager.sol";
import {IUnlockCallback} from "@uniswap/v4-core/src/interfaces/callback/IUnlockCallback.sol";
import {BalanceDelta} from "@uniswap/v4-core/src/types/BalanceDelta.sol";
import {Currency} from "@uniswap/v4-core/src/types/Currency.sol";
import {PoolKey} from "@uniswap/v4-core/src/types/PoolKey.sol";
import {ModifyLiquidityParams, SwapParams} from "@uniswap/v4-core/src/types/PoolOperation.sol";

/// Adds liquidity to Uniswap V4 pools and swaps in them. The routers in the manager's package do not support tokens
/// that return no data. Pays by the caller's allowance or from the value of the call, and returns unused value.
contract UniswapV4Trader is IUnlockCallback {
    uint160 private constant LOWEST_PRICE = 4295128740;
    uint160 private constant HIGHEST_PRICE = 1461446703485210103287273052203988822378723970341;

    IPoolManager private immutable manager;

    error NotTheManager();
    error PaymentFailed(address token);

    constructor(IPoolManager manager_) {
        manager = manager_;
    }

    receive() external payable {}

    function mint(PoolKey calldata key, int24 tickLower, int24 tickUpper, int256 liquidity) external payable {
        ModifyLiquidityParams memory change =
            ModifyLiquidityParams(tickLower, tickUpper, liquidity, 0);
        run(key, abi.encodeCall(IPoolManager.modifyLiquidity, (key, change, "")));
    }

    /// Sells exactly `amountIn`.
    function swap(PoolKey calldata key, bool zeroForOne, uint256 amountIn) external payable returns (uint256 amountOut) {
        SwapParams memory order =
            SwapParams(zeroForOne, -int256(amountIn), zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE);
        BalanceDelta delta = run(key, abi.encodeCall(IPoolManager.swap, (key, order, "")));
        return uint256(int256(zeroForOne ? delta.amount1() : delta.amount0()));
    }

    function run(PoolKey calldata key, bytes memory action) private returns (BalanceDelta) {
        bytes memory answer = manager.unlock(abi.encode(msg.sender, key, action));
        if (address(this).balance != 0) send(msg.sender, address(this).balance);
        return abi.decode(answer, (BalanceDelta));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != address(manager)) revert NotTheManager();
        (address trader, PoolKey memory key, bytes memory action) = abi.decode(data, (address, PoolKey, bytes));
        (bool done, bytes memory answer) = address(manager).call(action);
        if (!done) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
        // The first word is the balance change. A change of liquidity returns fees after it.
        BalanceDelta delta = abi.decode(answer, (BalanceDelta));
        settle(key.currency0, delta.amount0(), trader);
        settle(key.currency1, delta.amount1(), trader);
        return abi.encode(delta);
    }

    /// Settles a balance change. This contract owes negative amounts to the manager.
    function settle(Currency currency, int128 amount, address trader) private {
        if (amount > 0) manager.take(currency, trader, uint256(int256(amount)));
        if (amount >= 0) return;
        uint256 owed = uint256(-int256(amount));
        address token = Currency.unwrap(currency);
        if (token == address(0)) {
            manager.settle{value: owed}();
            return;
        }
        manager.sync(currency);
        (bool done, bytes memory answer) = token.call(
            abi.encodeWithSignature("transferFrom(address,address,uint256)", trader, address(manager), owed)
        );
        if (!done || (answer.length != 0 && !abi.decode(answer, (bool)))) revert PaymentFailed(token);
        manager.settle();
    }

    function send(address to, uint256 amount) private {
        (bool done,) = to.call{value: amount}("");
        if (!done) revert PaymentFailed(address(0));
    }
}
