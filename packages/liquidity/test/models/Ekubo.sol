// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface Token {
    function balanceOf(address) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
}

interface Locker {
    function locked(uint256 id) external;
}

/// Sends the Executor a callback that it does not expect.
contract Intruder {
    function callBack(address executor, bytes calldata callback) external {
        (bool ok, bytes memory reason) = executor.call(callback);
        require(!ok && bytes4(reason) == bytes4(keccak256("UnexpectedCallback(address,address)")), "answered an intruder");
    }
}

/// Records debts like the genuine cores. Has their storage layout, and returns words of it.
abstract contract Accounts {
    address internal locker;
    mapping(address => int256) private debts;
    uint256 private open;

    error Unsettled();
    error NotLocked();
    error UnexpectedSwap();

    receive() external payable {
        change(address(0), -int256(msg.value));
    }

    /// Writes storage words.
    function put(uint256[] calldata slots, uint256[] calldata words) external {
        for (uint256 k; k < slots.length; ++k) {
            (uint256 slot, uint256 word) = (slots[k], words[k]);
            assembly {
                sstore(slot, word)
            }
        }
    }

    function sload() external view {
        uint256 count = (msg.data.length - 4) / 32;
        uint256[] memory words = new uint256[](count);
        for (uint256 k; k < count; ++k) {
            uint256 word;
            assembly {
                word := sload(calldataload(add(4, mul(k, 32))))
            }
            words[k] = word;
        }
        assembly {
            return(add(words, 32), mul(count, 32))
        }
    }

    /// Calls the sender back with `data`, and requires that it settles all debts.
    function lockWith(bytes memory data) internal {
        locker = msg.sender;
        forward(data);
        if (open != 0) revert Unsettled();
        locker = address(0);
    }

    function forward(bytes memory data) internal {
        (bool ok, bytes memory reason) = msg.sender.call(data);
        if (!ok) {
            assembly {
                revert(add(reason, 32), mload(reason))
            }
        }
    }

    function send(address asset, address to, uint256 amount) internal {
        change(asset, int256(amount));
        if (asset == address(0)) {
            (bool ok,) = to.call{value: amount}("");
            require(ok);
        } else {
            Token(asset).transfer(to, amount);
        }
    }

    function change(address asset, int256 by) internal {
        if (locker == address(0)) revert NotLocked();
        int256 was = debts[asset];
        debts[asset] = was + by;
        if (was == 0 && by != 0) ++open;
        if (was != 0 && was + by == 0) --open;
    }
}

/// A model of the core of version 3. Returns the expected balance changes if the swap is exactly the expected one.
contract Core is Accounts {
    address private paying;
    uint256 private before;
    bytes32 private expected;
    uint256 private answer;

    /// Sets the calldata that a swap must have, and the packed balance changes that it returns.
    function expectSwap(bytes calldata swapCalldata, uint256 balances) external {
        (expected, answer) = (keccak256(swapCalldata), balances);
    }

    function lock() external {
        lockWith(bytes.concat(bytes4(0), bytes32(uint256(7)), msg.data[4:]));
    }

    fallback() external {
        if (msg.sig != 0 || msg.data.length != 132 || keccak256(msg.data) != expected) revert UnexpectedSwap();
        change(address(uint160(uint256(bytes32(msg.data[4:36])))), int128(int256(answer >> 128)));
        change(address(uint160(uint256(bytes32(msg.data[36:68])))), int128(int256(answer)));
        uint256 balances = answer;
        assembly {
            mstore(0, balances)
            mstore(32, 0)
            return(0, 64)
        }
    }

    function startPayments() external {
        paying = token();
        before = Token(paying).balanceOf(address(this));
    }

    function completePayments() external {
        require(token() == paying);
        change(paying, -int256(Token(paying).balanceOf(address(this)) - before));
    }

    function withdraw() external {
        send(address(bytes20(msg.data[4:24])), address(bytes20(msg.data[24:44])), uint128(bytes16(msg.data[44:60])));
    }

    function token() private pure returns (address) {
        require(msg.data.length == 36);
        return address(uint160(uint256(bytes32(msg.data[4:36]))));
    }
}

/// A model of the core of version 2, which returns the expected balance changes like `Core`.
contract CoreV2 is Accounts {
    bytes32 private expected;
    int128 private change0;
    int128 private change1;
    /// Number of callbacks of `pay`. The genuine core makes one.
    uint256 private callbacks = 1;
    /// Sends a callback to the Executor before the core does.
    Intruder private immutable INTRUDER = new Intruder();

    /// Sets the calldata that a swap must have, and the balance changes that it returns.
    function expectSwap(bytes calldata swapCalldata, int128 balance0, int128 balance1) external {
        (expected, change0, change1) = (keccak256(swapCalldata), balance0, balance1);
    }

    function setCallbacks(uint256 times) external {
        callbacks = times;
    }

    function lock() external {
        lockWith(bytes.concat(abi.encodeCall(Locker.locked, (7)), msg.data[4:]));
    }

    fallback() external {
        if (msg.sig != 0 || msg.data.length != 228 || keccak256(msg.data) != expected) revert UnexpectedSwap();
        change(address(uint160(uint256(bytes32(msg.data[4:36])))), change0);
        change(address(uint160(uint256(bytes32(msg.data[36:68])))), change1);
        (int256 first, int256 second) = (change0, change1);
        assembly {
            mstore(0, first)
            mstore(32, second)
            return(0, 64)
        }
    }

    /// Calls back with the bytes that follow the token in the calldata.
    function pay(address token) external returns (uint128 payment) {
        uint256 before = Token(token).balanceOf(address(this));
        bytes memory call = abi.encodeWithSignature("payCallback(uint256,address)", 7, token);
        INTRUDER.callBack(msg.sender, bytes.concat(call, msg.data[36:]));
        for (uint256 k; k < callbacks; ++k) forward(bytes.concat(call, msg.data[36:]));
        payment = uint128(Token(token).balanceOf(address(this)) - before);
        change(token, -int256(uint256(payment)));
    }

    function withdraw(address token, address to, uint128 amount) external {
        send(token, to, amount);
    }
}

/// Adds liquidity to pools of the genuine core of version 3, from its own balances.
contract Provider {
    address private immutable CORE;

    constructor(address core) {
        CORE = core;
    }

    receive() external payable {}

    function mint(address token0, address token1, bytes32 config, bytes32 positionId, int128 liquidity) external {
        bytes memory words = abi.encode(token0, token1, config, positionId, liquidity);
        // lock()
        require(callCore(bytes.concat(bytes4(0xf83d08ba), words), 0).length == 0);
    }

    /// Callback of the lock: a zero selector, the number of the lock, and the arguments of the lock call.
    fallback() external {
        bytes calldata words = msg.data[36:];
        // updatePosition((address,address,bytes32),bytes32,int128)
        int256 balances = abi.decode(callCore(bytes.concat(bytes4(0xcb48dadf), words), 0), (int256));
        (address token0, address token1) = abi.decode(words, (address, address));
        settle(token0, int128(balances >> 128));
        settle(token1, int128(balances));
    }

    function settle(address token, int256 owed) private {
        if (owed < 0) {
            callCore(bytes.concat(bytes4(0x3ccfd60b), abi.encodePacked(token, address(this), uint128(uint256(-owed)))), 0);
        } else if (owed > 0 && token == address(0)) {
            callCore("", uint256(owed));
        } else if (owed > 0) {
            callCore(bytes.concat(bytes4(0xf9b6a796), abi.encode(token)), 0);
            Token(token).transfer(CORE, uint256(owed));
            callCore(bytes.concat(bytes4(0x12e103f1), abi.encode(token)), 0);
        }
    }

    function callCore(bytes memory data, uint256 value) private returns (bytes memory returned) {
        bool ok;
        (ok, returned) = CORE.call{value: value}(data);
        if (!ok) {
            assembly {
                revert(add(returned, 32), mload(returned))
            }
        }
    }
}

struct PoolKey {
    address token0;
    address token1;
    bytes32 config;
}

struct Bounds {
    int32 lower;
    int32 upper;
}

struct Change {
    bytes32 salt;
    Bounds bounds;
    int128 liquidityDelta;
}

interface GenuineCore {
    function lock() external;
    function updatePosition(PoolKey memory key, Change memory positionChange) external payable returns (int128, int128);
    function pay(address token) external;
    function withdraw(address token, address recipient, uint128 amount) external;
}

/// Adds liquidity to pools of the genuine core of version 2, from its own balances.
contract ProviderV2 {
    GenuineCore private immutable CORE;

    constructor(GenuineCore core) {
        CORE = core;
    }

    receive() external payable {}

    function mint(PoolKey calldata key, Change calldata positionChange) external {
        callCore(bytes.concat(abi.encodeCall(GenuineCore.lock, ()), abi.encode(key, positionChange)), 0);
    }

    function locked(uint256) external {
        (PoolKey memory key, Change memory positionChange) = abi.decode(msg.data[36:], (PoolKey, Change));
        (int128 delta0, int128 delta1) = CORE.updatePosition(key, positionChange);
        settle(key.token0, delta0);
        settle(key.token1, delta1);
    }

    function payCallback(uint256, address token) external {
        Token(token).transfer(address(CORE), abi.decode(msg.data[68:], (uint256)));
    }

    function settle(address token, int256 owed) private {
        if (owed < 0) CORE.withdraw(token, address(this), uint128(uint256(-owed)));
        else if (owed > 0 && token == address(0)) callCore("", uint256(owed));
        else if (owed > 0) callCore(bytes.concat(abi.encodeCall(GenuineCore.pay, (token)), abi.encode(owed)), 0);
    }

    function callCore(bytes memory data, uint256 value) private {
        (bool ok, bytes memory returned) = address(CORE).call{value: value}(data);
        if (!ok) {
            assembly {
                revert(add(returned, 32), mload(returned))
            }
        }
    }
}
