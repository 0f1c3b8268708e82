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

/// Answers each callback of a swap with "nothing changes". Code is placed at addresses with the right bits, so that all
/// settings are constants or immutable.
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

    /// The output of a swap, from its balance change.
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

/// A fee that grows with the size of the swap, as hooks against arbitrage charge.
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

/// A fee that falls with the time since the pool was made, as launch hooks charge.
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

/// A curve of its own instead of the pool's: x·y=k over its own balances, with a fee of 0.1 %.
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
        // Claims instead of tokens, which the manager does not have before the swap is paid.
        Manager(msg.sender).mint(address(this), uint160(tokenIn), amountIn);
        Manager(msg.sender).sync(tokenOut);
        // Some tokens return nothing.
        (bool ok,) = tokenOut.call(abi.encodeCall(Token.transfer, (msg.sender, amountOut)));
        require(ok);
        Manager(msg.sender).settle();
        int256 delta = (int256(amountIn) << 128) | int256(uint256(uint128(-int128(int256(amountOut)))));
        return (Hook.beforeSwap.selector, delta, 0);
    }
}

/// Promises an output that nobody pays.
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

/// Takes 4 % of the output, but nothing where the swap is only simulated.
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

/// Takes 4 % of the output, but nothing from a contract that is not there at other times.
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

/// Reverts with one word, as the lens carries a result out of a swap.
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

/// Reverts with as much data as its gas buys.
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

/// Calls back into the lens and the manager: neither may answer for another's swap.
contract ReentrantHook is Hook {
    function beforeSwap(address sender, Key calldata key, Params calldata params, bytes calldata)
        external
        override
        returns (bytes4, int256, uint24)
    {
        Params memory other = Params(params.zeroForOne, params.amountSpecified * 3, params.sqrtPriceLimitX96);
        // A swap of the hook's own, whose balances stay open.
        try Manager(msg.sender).swap(key, other, "") returns (int256) {} catch {}
        (bool ok,) = sender.call(abi.encodeWithSignature("trial(bytes,bool,uint256)", abi.encode(msg.sender, key), true, 1 << 90));
        ok;
        return (Hook.beforeSwap.selector, 0, 0);
    }
}

/// Takes more than the pool paid, which drives the output past zero (Uniswap/v4-periphery#588).
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

/// Takes 4 % of the output where there is more gas than a quoter grants (Uniswap/hooklist#2500).
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
