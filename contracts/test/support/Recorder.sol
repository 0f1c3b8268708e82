// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Calls to recorders, in order.
contract Tape {
    struct Entry {
        address target;
        uint256 value;
        bytes data;
    }

    Entry[] internal entries;
    uint256 internal read;
    /// @notice Callback with which a recorder answers `unlock`: that of uniswap-v4, or of balancer-v3.
    bool public balancer;
    /// @notice Word that a recorder returns.
    uint256 public word = 1000;

    function set(bool balancer_) external {
        balancer = balancer_;
    }

    function setWord(uint256 word_) external {
        word = word_;
    }

    function write(address target, uint256 value, bytes calldata data) external {
        entries.push(Entry(target, value, data));
    }

    function next() external returns (address target, uint256 value, bytes memory data) {
        require(read < entries.length, "no further call");
        Entry storage entry = entries[read++];
        return (entry.target, entry.value, entry.data);
    }

    function ended() external view returns (bool) {
        return read == entries.length;
    }
}

/// @notice Code of every address in a golden program: records each call that changes state, calls back like a pool, and returns the
///   same word for balances and amounts, and half of it for reserves.
contract Recorder {
    Tape internal immutable TAPE;

    constructor(Tape tape) {
        TAPE = tape;
    }

    receive() external payable {
        TAPE.write(address(this), msg.value, "");
    }

    fallback() external payable {
        bytes4 name = bytes4(msg.data);
        bool isRead = name == 0x70a08231 || name == 0x0902f1ac || name == 0xdd62ed3e || name == 0xf140a35a
            || name == 0xd6694027 || name == bytes4(keccak256("tout()"))
            || name == bytes4(keccak256("to18ConversionFactor()"))
            || name == bytes4(keccak256("getAssetAmountForBuyAsset(uint256)"))
            || name == bytes4(keccak256("computeQuote(address,address,uint256,bool)"));
        if (!isRead) TAPE.write(address(this), msg.value, msg.data);
        // uniswap-v3: the whole input is consumed.
        if (name == 0x128acb08) {
            (, bool zeroForOne, int256 amount) = abi.decode(msg.data[4:], (address, bool, int256));
            int256 output = amount == 0 ? int256(0) : -7;
            (int256 amount0, int256 amount1) = zeroForOne ? (amount, output) : (output, amount);
            _callBack(abi.encodeWithSelector(0xfa461e33, amount0, amount1, ""));
            _answer(uint256(amount0), uint256(amount1), 0);
        }
        // kyber-elastic: the same, with its parameters in another order.
        if (name == 0x24b31a0c) {
            (, int256 amount, bool zeroForOne) = abi.decode(msg.data[4:], (address, int256, bool));
            int256 output = amount == 0 ? int256(0) : -7;
            (int256 amount0, int256 amount1) = zeroForOne ? (amount, output) : (output, amount);
            _callBack(abi.encodeWithSelector(0xfa483e72, amount0, amount1, ""));
            _answer(uint256(amount0), uint256(amount1), 0);
        }
        // maverick-v2: the whole input is consumed.
        if (name == 0x3eece7db) _answer(uint256(bytes32(msg.data[0x24:0x44])), 7, 0);
        // iziswap: the same, as the first or the second parameter.
        if (name == 0x857f812f) {
            (, uint256 amount) = abi.decode(msg.data[4:], (address, uint256));
            _callBack(abi.encodeWithSignature("swapX2YCallback(uint256,uint256,bytes)", amount, 7, ""));
            _answer(amount, 7, 0);
        }
        if (name == 0x2c481252) {
            (, uint256 amount) = abi.decode(msg.data[4:], (address, uint256));
            _callBack(abi.encodeWithSignature("swapY2XCallback(uint256,uint256,bytes)", 7, amount, ""));
            _answer(7, amount, 0);
        }
        if (name == bytes4(keccak256("unlock(bytes)"))) {
            bytes memory data = abi.decode(msg.data[4:], (bytes));
            _callBack(TAPE.balancer() ? data : abi.encodeWithSignature("unlockCallback(bytes)", data));
            _answer(32, 0, 0);
        }
        if (name == bytes4(keccak256("lock(bytes)"))) {
            _callBack(abi.encodeWithSignature("lockAcquired(bytes)", abi.decode(msg.data[4:], (bytes))));
            _answer(32, 0, 0);
        }
        // ekubo: a selector of zeros, and the data of the lock call after the id of the lock.
        if (name == bytes4(keccak256("lock()"))) _callBack(bytes.concat(bytes4(0), bytes32(uint256(1)), msg.data[4:]));
        if (name == bytes4(keccak256("withdraw(uint256)"))) {
            (bool ok,) = msg.sender.call{value: abi.decode(msg.data[4:], (uint256))}("");
            require(ok);
        }
        uint256 word = TAPE.word();
        if (name == 0x0902f1ac) _answer(word / 2, word / 2, 0);
        // kyber-classic: four equal reserves and no fee.
        if (name == 0xd6694027) _answer(word / 2, word / 2, word / 2);
        // Token transfers and approvals return true; an allowance is used up.
        if (name == 0xa9059cbb || name == 0x095ea7b3 || name == 0x23b872dd) _answer(1, 0, 0);
        if (name == 0xdd62ed3e) _answer(0, 0, 0);
        // uniswap-v4: the whole input is owed for 7 units of the other currency.
        if (name == bytes4(keccak256("swap((address,address,uint24,int24,address),(bool,int256,uint160),bytes)"))) {
            bool zeroForOne = uint256(bytes32(msg.data[164:196])) == 1;
            uint256 owed = uint128(uint256(bytes32(msg.data[196:228])));
            _answer(zeroForOne ? owed << 128 | 7 : 7 << 128 | owed, 0, 0);
        }
        // pancake-infinity: the same, for both managers.
        if (
            name == bytes4(keccak256("swap((address,address,address,address,uint24,bytes32),(bool,int256,uint160),bytes)"))
                || name == bytes4(keccak256("swap((address,address,address,address,uint24,bytes32),bool,int128,bytes)"))
        ) {
            bool zeroForOne = uint256(bytes32(msg.data[196:228])) == 1;
            uint256 owed = uint128(uint256(bytes32(msg.data[228:260])));
            _answer(zeroForOne ? owed << 128 | 7 : 7 << 128 | owed, 0, 0);
        }
        // ekubo: the same, with opposite signs.
        if (name == 0 && msg.data.length == 132) {
            uint256 params = uint256(bytes32(msg.data[100:132]));
            uint256 owed = uint128(params >> 32);
            uint256 output = uint128(int128(-7));
            _answer(params & (1 << 31) == 0 ? owed << 128 | output : output << 128 | owed, 0, 0);
        }
        _answer(word, word, word);
    }

    function _callBack(bytes memory data) private {
        (bool ok, bytes memory answer) = msg.sender.call(data);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(answer, 0x20), mload(answer))
            }
        }
    }

    function _answer(uint256 a, uint256 b, uint256 c) private pure {
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, a)
            mstore(add(free, 0x20), b)
            mstore(add(free, 0x40), c)
            // The same word again, and zero.
            mstore(add(free, 0x60), c)
            mstore(add(free, 0x80), 0)
            return(free, 0xa0)
        }
    }
}
