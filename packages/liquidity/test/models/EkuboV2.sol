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

/// Keeps accounts as the core of version 2 does, tells its storage, and gives for a swap what it was told to, once asked for exactly that.
contract CoreV2 {
    address private locker;
    mapping(address => int256) private debts;
    uint256 private open;
    bytes32 private asked;
    int128 private change0;
    int128 private change1;
    /// Callbacks that `pay` makes: one, as the core does, or another number.
    uint256 private callbacks = 1;
    /// Asks for the payment before the core does.
    Intruder private immutable INTRUDER = new Intruder();

    error Unsettled();
    error NotLocked();
    error NotAsTold();

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

    /// Question that a swap must ask, and the balance changes that it answers.
    function tell(bytes calldata question, int128 balance0, int128 balance1) external {
        (asked, change0, change1) = (keccak256(question), balance0, balance1);
    }

    function callBack(uint256 times) external {
        callbacks = times;
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

    function lock() external {
        locker = msg.sender;
        forward(bytes.concat(abi.encodeCall(Locker.locked, (7)), msg.data[4:]));
        if (open != 0) revert Unsettled();
        locker = address(0);
    }

    fallback() external {
        if (msg.sig != 0 || msg.data.length != 228 || keccak256(msg.data) != asked) revert NotAsTold();
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
        change(token, int256(uint256(amount)));
        if (token == address(0)) {
            (bool ok,) = to.call{value: amount}("");
            require(ok);
        } else {
            Token(token).transfer(to, amount);
        }
    }

    function forward(bytes memory data) private {
        (bool ok, bytes memory said) = msg.sender.call(data);
        if (!ok) {
            assembly {
                revert(add(said, 32), mload(said))
            }
        }
    }

    function change(address asset, int256 by) private {
        if (locker == address(0)) revert NotLocked();
        int256 was = debts[asset];
        debts[asset] = was + by;
        if (was == 0 && by != 0) ++open;
        if (was != 0 && was + by == 0) --open;
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
