// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

struct Key {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct Params {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

interface Manager {
    function swap(Key calldata key, Params calldata params, bytes calldata hookData) external returns (int256);
    function take(address currency, address to, uint256 amount) external;
    function sync(address currency) external;
    function settle() external payable returns (uint256);
    function mint(address to, uint256 id, uint256 amount) external;
    function burn(address from, uint256 id, uint256 amount) external;
}

interface Token {
    function transfer(address to, uint256 amount) external returns (bool);
    function balanceOf(address) external view returns (uint256);
}

/// A hook that changes nothing in a swap. A test sets its code at an address with the bits of its functions, so all settings are
/// constants or immutable.
abstract contract Hook {
    uint24 internal constant OVERRIDE = 0x400000;

    function beforeSwap(address sender, Key calldata key, Params calldata params, bytes calldata)
        external
        virtual
        returns (bytes4, int256, uint24)
    {
        sender; key; params;
        return (Hook.beforeSwap.selector, 0, 0);
    }

    function afterSwap(address sender, Key calldata key, Params calldata params, int256 delta, bytes calldata)
        external
        virtual
        returns (bytes4, int128)
    {
        sender; key; params; delta;
        return (Hook.afterSwap.selector, 0);
    }

    /// Returns the output of a swap from its balance change.
    function bought(Params calldata params, int256 delta) internal pure returns (int128) {
        return params.zeroForOne ? int128(delta) : int128(delta >> 128);
    }

    function takeFromOutput(Key calldata key, Params calldata params, uint256 amount) internal {
        Manager(msg.sender).take(params.zeroForOne ? key.currency1 : key.currency0, address(this), amount);
    }

    /// True inside `eth_call` as most nodes run it: without sender, gas price, or block producer.
    function isSimulation() internal view returns (bool) {
        return tx.origin == address(0) || tx.gasprice == 0 || block.coinbase == address(0);
    }
}

/// Charges a fee that grows with the size of the swap, like hooks against arbitrage.
contract SizeFeeHook is Hook {
    function beforeSwap(address, Key calldata, Params calldata params, bytes calldata)
        external
        pure
        override
        returns (bytes4, int256, uint24)
    {
        uint256 amount = uint256(-params.amountSpecified);
        uint256 bits;
        while (amount > 1) (amount, bits) = (amount >> 1, bits + 1);
        return (Hook.beforeSwap.selector, 0, OVERRIDE | uint24(500 + 40 * bits));
    }
}

/// Charges a fee that falls with the time since the pool was created, like launch hooks.
contract DecayingFeeHook is Hook {
    uint256 private immutable start = block.timestamp;

    function beforeSwap(address, Key calldata, Params calldata, bytes calldata)
        external
        view
        override
        returns (bytes4, int256, uint24)
    {
        uint256 age = block.timestamp - start;
        return (Hook.beforeSwap.selector, 0, OVERRIDE | uint24(3_000 + 50_000 * 3_600 / (3_600 + age)));
    }
}

/// Takes a share of the output after the swap.
contract ShareHook is Hook {
    function afterSwap(address, Key calldata key, Params calldata params, int256 delta, bytes calldata)
        external
        override
        returns (bytes4, int128)
    {
        int128 share = bought(params, delta) / 400;
        if (share > 0) takeFromOutput(key, params, uint256(int256(share)));
        return (Hook.afterSwap.selector, share);
    }
}

/// Replaces the pool's curve: x·y=k with its own balances, and a fee of 0.1 %.
contract CurveHook is Hook {
    function beforeSwap(address, Key calldata key, Params calldata params, bytes calldata)
        external
        override
        returns (bytes4, int256, uint24)
    {
        (address tokenIn, address tokenOut) =
            params.zeroForOne ? (key.currency0, key.currency1) : (key.currency1, key.currency0);
        uint256 amountIn = uint256(-params.amountSpecified);
        uint256 amountOut;
        {
            uint256 kept = amountIn * 999 / 1000;
            amountOut = kept * Token(tokenOut).balanceOf(address(this)) / (Token(tokenIn).balanceOf(address(this)) + kept);
        }
        // Takes claims instead of tokens, because the manager does not have the tokens before the payment of the swap.
        Manager(msg.sender).mint(address(this), uint160(tokenIn), amountIn);
        Manager(msg.sender).sync(tokenOut);
        // Some tokens return no data.
        (bool ok,) = tokenOut.call(abi.encodeCall(Token.transfer, (msg.sender, amountOut)));
        require(ok);
        Manager(msg.sender).settle();
        int256 delta = (int256(amountIn) << 128) | int256(uint256(uint128(-int128(int256(amountOut)))));
        return (Hook.beforeSwap.selector, delta, 0);
    }
}

/// Reports an output that no account pays.
contract DebtHook is Hook {
    function beforeSwap(address, Key calldata, Params calldata params, bytes calldata)
        external
        pure
        override
        returns (bytes4, int256, uint24)
    {
        uint256 amountIn = uint256(-params.amountSpecified);
        int256 delta = (int256(amountIn) << 128) | int256(uint256(uint128(-int128(int256(amountIn * 2)))));
        return (Hook.beforeSwap.selector, delta, 0);
    }
}

/// Takes 4 % of the output, but nothing if the swap is only simulated.
contract TwoFacedHook is Hook {
    function afterSwap(address, Key calldata key, Params calldata params, int256 delta, bytes calldata)
        external
        override
        returns (bytes4, int128)
    {
        int128 share = isSimulation() ? int128(0) : bought(params, delta) / 25;
        if (share > 0) takeFromOutput(key, params, uint256(int256(share)));
        return (Hook.afterSwap.selector, share);
    }
}

/// Takes 4 % of the output, but nothing from swaps of the lens.
contract LensFriendHook is Hook {
    address private immutable lens;

    constructor(address lens_) {
        lens = lens_;
    }

    function afterSwap(address sender, Key calldata key, Params calldata params, int256 delta, bytes calldata)
        external
        override
        returns (bytes4, int128)
    {
        int128 share = sender == lens ? int128(0) : bought(params, delta) / 25;
        if (share > 0) takeFromOutput(key, params, uint256(int256(share)));
        return (Hook.afterSwap.selector, share);
    }
}

/// Uses up all gas.
contract BurnHook is Hook {
    function beforeSwap(address, Key calldata, Params calldata, bytes calldata)
        external
        pure
        override
        returns (bytes4, int256, uint24)
    {
        for (uint256 i;; ++i) if (i == type(uint256).max) revert();
    }
}

/// Reverts with one word, like the lens when it returns a result.
contract ForgeHook is Hook {
    function beforeSwap(address, Key calldata, Params calldata, bytes calldata)
        external
        pure
        override
        returns (bytes4, int256, uint24)
    {
        assembly {
            mstore(0, shl(100, 1))
            revert(0, 32)
        }
    }
}

/// Reverts with as much data as its gas permits.
contract BombHook is Hook {
    function beforeSwap(address, Key calldata, Params calldata, bytes calldata)
        external
        pure
        override
        returns (bytes4, int256, uint24)
    {
        assembly {
            revert(0, 200000)
        }
    }
}

/// Calls the lens and the manager during a swap. Neither call may change the result of that swap.
contract ReentrantHook is Hook {
    function beforeSwap(address sender, Key calldata key, Params calldata params, bytes calldata)
        external
        override
        returns (bytes4, int256, uint24)
    {
        Params memory other = Params(params.zeroForOne, params.amountSpecified * 3, params.sqrtPriceLimitX96);
        // A swap of the hook, whose balances stay unsettled.
        try Manager(msg.sender).swap(key, other, "") returns (int256) {} catch {}
        (bool ok,) = sender.call(abi.encodeWithSignature("trial(bytes,bool,uint256)", abi.encode(msg.sender, key), true, 1 << 90));
        ok;
        return (Hook.beforeSwap.selector, 0, 0);
    }
}

/// Takes more than the pool paid, so that the output is negative (Uniswap/v4-periphery#588).
contract OvertakeHook is Hook {
    function afterSwap(address, Key calldata, Params calldata params, int256 delta, bytes calldata)
        external
        pure
        override
        returns (bytes4, int128)
    {
        return (Hook.afterSwap.selector, bought(params, delta) * 2);
    }
}

/// Takes 4 % of the output if the remaining gas exceeds the limit of a quoter (Uniswap/hooklist#2500).
contract GasDetectHook is Hook {
    function afterSwap(address, Key calldata key, Params calldata params, int256 delta, bytes calldata)
        external
        override
        returns (bytes4, int128)
    {
        int128 share = gasleft() < 1_000_000 ? int128(0) : bought(params, delta) / 25;
        if (share > 0) takeFromOutput(key, params, uint256(int256(share)));
        return (Hook.afterSwap.selector, share);
    }
}

/// Allows one direction only (Uniswap/hooklist#19).
contract OneWayHook is Hook {
    function beforeSwap(address, Key calldata, Params calldata params, bytes calldata)
        external
        pure
        override
        returns (bytes4, int256, uint24)
    {
        require(params.zeroForOne, "no");
        return (Hook.beforeSwap.selector, 0, 0);
    }
}
