// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface Token {
    function balanceOf(address) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
}

/// Keeps accounts as the genuine core does, tells its storage, and gives for a swap what it was told to, once asked for exactly that.
contract Core {
    address private locker;
    mapping(address => int256) private debts;
    uint256 private open;
    address private paying;
    uint256 private before;
    bytes32 private asked;
    uint256 private answer;

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
    function tell(bytes calldata question, uint256 balances) external {
        (asked, answer) = (keccak256(question), balances);
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
        (bool ok, bytes memory said) = msg.sender.call(bytes.concat(bytes4(0), bytes32(uint256(7)), msg.data[4:]));
        if (!ok) {
            assembly {
                revert(add(said, 32), mload(said))
            }
        }
        if (open != 0) revert Unsettled();
        locker = address(0);
    }

    fallback() external {
        if (msg.sig != 0 || msg.data.length != 132 || keccak256(msg.data) != asked) revert NotAsTold();
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
        address asset = address(bytes20(msg.data[4:24]));
        address to = address(bytes20(msg.data[24:44]));
        uint256 amount = uint128(bytes16(msg.data[44:60]));
        change(asset, int256(amount));
        if (asset == address(0)) {
            (bool ok,) = to.call{value: amount}("");
            require(ok);
        } else {
            Token(asset).transfer(to, amount);
        }
    }

    function token() private pure returns (address) {
        require(msg.data.length == 36);
        return address(uint160(uint256(bytes32(msg.data[4:36]))));
    }

    function change(address asset, int256 by) private {
        if (locker == address(0)) revert NotLocked();
        int256 was = debts[asset];
        debts[asset] = was + by;
        if (was == 0 && by != 0) ++open;
        if (was != 0 && was + by == 0) --open;
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
