// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface Token {
    function balanceOf(address) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
}

interface Locker {
    function locked(uint256 id) external;
}

/// Asks the Executor for a payment that is not its own.
contract Intruder {
    function ask(address executor, bytes calldata callback) external {
        (bool ok, bytes memory said) = executor.call(callback);
        require(!ok && bytes4(said) == bytes4(keccak256("UnexpectedCallback(address,address)")), "answered an intruder");
    }
}

/// Keeps accounts as the genuine cores do, has their storage, and reports it.
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

    /// Calls the locker back with this calldata, and requires that it settles all accounts.
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

/// The core of version 3. Answers a swap with recorded balance changes, if the swap is exactly the recorded one.
contract Core is Accounts {
    address private paying;
    uint256 private before;
    bytes32 private expected;
    uint256 private answer;

    /// Calldata that a swap must have, and the balance changes that it returns.
    function tell(bytes calldata question, uint256 balances) external {
        (expected, answer) = (keccak256(question), balances);
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

/// The core of version 2. Answers as `Core` does.
contract CoreV2 is Accounts {
    bytes32 private expected;
    int128 private change0;
    int128 private change1;
    /// Callbacks that `pay` makes: one, as the core does, or another number.
    uint256 private callbacks = 1;
    /// Asks for the payment before the core does.
    Intruder private immutable INTRUDER = new Intruder();

    /// Calldata that a swap must have, and the balance changes that it returns.
    function tell(bytes calldata question, int128 balance0, int128 balance1) external {
        (expected, change0, change1) = (keccak256(question), balance0, balance1);
    }

    function callBack(uint256 times) external {
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

    /// Hands back what follows the token.
    function pay(address token) external returns (uint128 payment) {
        uint256 before = Token(token).balanceOf(address(this));
        bytes memory call = abi.encodeWithSignature("payCallback(uint256,address)", 7, token);
        INTRUDER.ask(msg.sender, bytes.concat(call, msg.data[36:]));
        for (uint256 k; k < callbacks; ++k) forward(bytes.concat(call, msg.data[36:]));
        payment = uint128(Token(token).balanceOf(address(this)) - before);
        change(token, -int256(uint256(payment)));
    }

    function withdraw(address token, address to, uint128 amount) external {
        send(token, to, amount);
    }
}

/// Puts liquidity into pools of the genuine core, out of what it holds.
contract Provider {
    address private immutable CORE;

    constructor(address core) {
        CORE = core;
    }

    receive() external payable {}

    function mint(address token0, address token1, bytes32 config, bytes32 positionId, int128 liquidity) external {
        bytes memory words = abi.encode(token0, token1, config, positionId, liquidity);
        // lock()
        require(ask(bytes.concat(bytes4(0xf83d08ba), words), 0).length == 0);
    }

    /// Behind a selector of zeros stand the lock's number and what it was called with.
    fallback() external {
        bytes calldata words = msg.data[36:];
        // updatePosition((address,address,bytes32),bytes32,int128)
        int256 balances = abi.decode(ask(bytes.concat(bytes4(0xcb48dadf), words), 0), (int256));
        (address token0, address token1) = abi.decode(words, (address, address));
        settle(token0, int128(balances >> 128));
        settle(token1, int128(balances));
    }

    function settle(address token, int256 owed) private {
        if (owed < 0) {
            ask(bytes.concat(bytes4(0x3ccfd60b), abi.encodePacked(token, address(this), uint128(uint256(-owed)))), 0);
        } else if (owed > 0 && token == address(0)) {
            ask("", uint256(owed));
        } else if (owed > 0) {
            ask(bytes.concat(bytes4(0xf9b6a796), abi.encode(token)), 0);
            Token(token).transfer(CORE, uint256(owed));
            ask(bytes.concat(bytes4(0x12e103f1), abi.encode(token)), 0);
        }
    }

    function ask(bytes memory data, uint256 value) private returns (bytes memory said) {
        bool ok;
        (ok, said) = CORE.call{value: value}(data);
        if (!ok) {
            assembly {
                revert(add(said, 32), mload(said))
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

/// Puts liquidity into pools of the genuine core, out of what it holds.
contract ProviderV2 {
    GenuineCore private immutable CORE;

    constructor(GenuineCore core) {
        CORE = core;
    }

    receive() external payable {}

    function mint(PoolKey calldata key, Change calldata positionChange) external {
        ask(bytes.concat(abi.encodeCall(GenuineCore.lock, ()), abi.encode(key, positionChange)), 0);
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
        else if (owed > 0 && token == address(0)) ask("", uint256(owed));
        else if (owed > 0) ask(bytes.concat(abi.encodeCall(GenuineCore.pay, (token)), abi.encode(owed)), 0);
    }

    function ask(bytes memory data, uint256 value) private {
        (bool ok, bytes memory said) = address(CORE).call{value: value}(data);
        if (!ok) {
            assembly {
                revert(add(said, 32), mload(said))
            }
        }
    }
}
