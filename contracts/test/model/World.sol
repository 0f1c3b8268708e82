// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Accounts of the differential fuzz (guard-model.test.ts), by number. `world.ts` has the same list.
library Accounts {
    uint256 internal constant HOLDERS = 14;
    /// @dev Accounts below it are players: three users, two Executors, and a recipient. They have allowances.
    uint256 internal constant PLAYERS = 6;
    uint256 internal constant USERS = 3;
    uint256 internal constant GUARD = 7;
    uint256 internal constant FIRST_TOKEN = 8;
    uint256 internal constant TOKENS = 4;
    uint256 internal constant WETH = 12;
    uint256 internal constant ZERO = 13;
    address internal constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;

    /// @return The address of an account. Users have the addresses of private keys 1, 2, and 3. The others differ in each of their words.
    function at(uint256 k) internal pure returns (address) {
        if (k == 0) return 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf;
        if (k == 1) return 0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF;
        if (k == 2) return 0x6813Eb9362372EEF6200f3b1dbC3f819671cBA69;
        if (k == ZERO) return address(0);
        unchecked {
            return address(uint160(0x00a1e2D3C4b5a697887766554433221100ffeedd00 + k * 0x000100000001000000010000000100000001000001));
        }
    }

    /// @return The k-th account that an owner may approve: Guard, Permit2, or the first Executor.
    function spender(uint256 k) internal pure returns (address) {
        return k == 0 ? at(GUARD) : k == 1 ? PERMIT2 : at(3);
    }
}

/// @notice A user, an Executor, or a recipient: makes scripted calls.
/// @dev A script is a list of calls: target (20 bytes), value (16), 1 if a failure reverts (1), length (3), calldata.
contract Player {
    struct Task {
        address tokenIn;
        uint256 amountIn;
        address recipient;
    }

    error Refused();

    /// @dev Number of calls that succeeded.
    uint256 private successes;
    /// @dev Reaction to native token without data: 0 accepts, 1 rejects, 2 runs the script, 3 accepts while the script runs.
    uint256 private mode;
    bytes private script;

    receive() external payable {
        if (mode == 1) revert Refused();
        if (mode != 2) return;
        mode = 3;
        _play(script);
        mode = 2;
    }

    /// @notice Runs the script after the selector.
    /// @return First word of the last call's return data, if it succeeded.
    function play() external payable returns (uint256) {
        return _play(msg.data[4:]);
    }

    /// @notice Runs the program as a script.
    function execute(Task calldata) external payable {
        _play(msg.data[100:]);
    }

    /// @notice Sets the mode, and the script after it.
    function react(uint256 mode_) external {
        (mode, script) = (mode_, msg.data[36:]);
    }

    /// @notice ERC-1271: Permit2 calls this for an owner with code.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0;
        address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
        return signer == address(this) ? this.isValidSignature.selector : bytes4(0);
    }

    /// @notice Returns every word of the state except the script.
    function state() external view returns (uint256, uint256) {
        return (successes, mode);
    }

    function _play(bytes memory moves) private returns (uint256 word) {
        uint256 done;
        assembly ("memory-safe") {
            let at := add(moves, 0x20)
            let end := add(at, mload(moves))
            for {} lt(at, end) {} {
                let header := mload(add(at, 8))
                let length := and(header, 0xffffff)
                let data := add(at, 40)
                let target := shr(96, mload(at))
                let value := and(shr(32, header), 0xffffffffffffffffffffffffffffffff)
                let ok := call(gas(), target, value, data, length, 0, 0x20)
                word := 0
                if and(ok, gt(returndatasize(), 0x1f)) { word := mload(0) }
                if and(iszero(ok), and(shr(24, header), 1)) {
                    returndatacopy(0, 0, returndatasize())
                    revert(0, returndatasize())
                }
                done := add(done, ok)
                at := add(data, length)
            }
        }
        successes += done;
    }
}

/// @notice Token and wrapper with the behavior in `config`, from ordinary to hostile, that may call a player on each change.
contract ModelToken {
    error Refused();
    error NoBalance();
    error NoAllowance();
    error Expired();
    error BadNonce();
    error BadSignature();

    uint256 private constant ONE = 1e6;
    uint256 private constant MAX = 1 << 128;
    /// @dev False balance of `balanceOf`.
    uint256 private constant FALSE_BALANCE = 1 << 250;
    uint256 private constant RUNNING = 1 << 160;
    bytes32 private constant DOMAIN = keccak256("EIP712Domain(uint256 chainId,address verifyingContract)");
    bytes32 private constant PERMIT =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    bytes32 private constant DAI =
        keccak256("Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)");

    mapping(address => uint256) private shares;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) public nonces;
    /// @dev Behavior, by bits. `world.ts` has the same encoding.
    ///   0-3    transfers: 0 return true. 1 return no data. 2 return false and move nothing. 3 return false. 4 return the
    ///          word 2. 5 return two words. 6 revert. 7 revert without data. 8 return 31 bytes. 9 return true and move
    ///          nothing.
    ///   4-7    balanceOf: 0 returns the balance. 1 reverts. 2 returns 31 bytes. 3 returns zero. 4 returns 2^250.
    ///   8-11   permit: 0 works. 1 does nothing. 2 reverts.
    ///   12-15  wrapping: 0 works. 1 gives nothing. 2 gives half. 3 deposits credit one unit too much, and withdrawals
    ///          are free. 4 reverts.
    ///   16-39  tax, 40-63 additional charge of the sender, both in ppm.
    ///   64-95  base units per million shares.
    ///   96-255 account to which transfers revert.
    uint256 private config = ONE << 64;
    /// @dev Player that the token calls first in transfers, wrapping, and permits, and a bit that is set during the call.
    uint256 private hook;
    bytes private script;

    /// @dev A wrapper with a fallback, like WETH9: unknown functions succeed.
    fallback() external payable {}

    /// @notice Sets the behavior.
    function configure(uint256 config_) external {
        config = config_;
    }

    /// @notice Sets the player that the token calls, and the script after it.
    function setHook(address player) external {
        (hook, script) = (uint160(player), msg.data[36:]);
    }

    function mint(address to, uint256 amount) external {
        _credit(to, amount);
    }

    function approve(address by, uint256 amount) external returns (bool) {
        allowance[msg.sender][by] = amount;
        return true;
    }

    function balanceOf(address account) external view returns (uint256) {
        uint256 reads = _field(config, 4);
        if (reads == 1) revert Refused();
        uint256 held = shares[account] * _rate(config) / ONE;
        if (reads == 2) {
            assembly ("memory-safe") {
                mstore(0, held)
                return(0, 31)
            }
        }
        return reads == 3 ? 0 : reads == 4 ? FALSE_BALANCE : held;
    }

    function transfer(address to, uint256 amount) external {
        _callHook();
        if (_moves()) _move(msg.sender, to, amount);
        _answer();
    }

    function transferFrom(address from, address to, uint256 amount) external {
        _callHook();
        if (_moves()) {
            uint256 allowed = allowance[from][msg.sender];
            if (allowed < amount) revert NoAllowance();
            if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
            _move(from, to, amount);
        }
        _answer();
    }

    function deposit() external payable {
        _callHook();
        uint256 kind = _field(config, 12);
        if (kind == 4) revert Refused();
        _credit(msg.sender, kind == 0 ? msg.value : kind == 1 ? 0 : kind == 2 ? msg.value / 2 : msg.value + 1);
    }

    function withdraw(uint256 amount) external {
        _callHook();
        uint256 kind = _field(config, 12);
        if (kind == 4) revert Refused();
        if (kind != 3) {
            uint256 burned = _sharesOf(amount);
            if (shares[msg.sender] < burned) revert NoBalance();
            shares[msg.sender] -= burned;
        }
        if (kind == 1) return;
        (bool ok,) = msg.sender.call{value: kind == 2 ? amount / 2 : amount}("");
        if (!ok) revert Refused();
    }

    function permit(address owner, address by, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external {
        _callHook();
        uint256 kind = _field(config, 8);
        if (kind == 1) return;
        if (kind == 2) revert Refused();
        if (block.timestamp > deadline) revert Expired();
        bytes32 hash = keccak256(abi.encode(PERMIT, owner, by, value, nonces[owner]++, deadline));
        _verify(owner, hash, v, r, s);
        allowance[owner][by] = value;
    }

    function permit(address owner, address by, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)
        external
    {
        _callHook();
        uint256 kind = _field(config, 8);
        if (kind == 1) return;
        if (kind == 2) revert Refused();
        if (expiry != 0 && block.timestamp > expiry) revert Expired();
        if (nonce != nonces[owner]++) revert BadNonce();
        _verify(owner, keccak256(abi.encode(DAI, owner, by, nonce, expiry, allowed)), v, r, s);
        allowance[owner][by] = allowed ? type(uint256).max : 0;
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(abi.encode(DOMAIN, block.chainid, address(this)));
    }

    /// @notice Returns every word of the state except the script.
    function state() external view {
        unchecked {
            uint256[] memory words = new uint256[](37);
            uint256 n;
            for (uint256 k; k < Accounts.HOLDERS; ++k) words[n++] = shares[Accounts.at(k)];
            for (uint256 k; k < Accounts.PLAYERS; ++k) {
                mapping(address => uint256) storage allowances = allowance[Accounts.at(k)];
                for (uint256 m; m < 3; ++m) words[n++] = allowances[Accounts.spender(m)];
            }
            for (uint256 k; k < Accounts.USERS; ++k) words[n++] = nonces[Accounts.at(k)];
            (words[n], words[n + 1]) = (config, hook);
            assembly ("memory-safe") {
                return(add(words, 0x20), mul(mload(words), 0x20))
            }
        }
    }

    function _field(uint256 word, uint256 bit) private pure returns (uint256) {
        return word >> bit & 15;
    }

    function _rate(uint256 word) private pure returns (uint256) {
        return word >> 64 & type(uint32).max;
    }

    function _sharesOf(uint256 amount) private view returns (uint256) {
        if (amount > MAX) revert NoBalance();
        return amount * ONE / _rate(config);
    }

    function _credit(address to, uint256 amount) private {
        shares[to] += _sharesOf(amount);
    }

    /// @dev Moves shares: charges the sender, and taxes the receiver.
    function _move(address from, address to, uint256 amount) private {
        uint256 word = config;
        uint256 moved = _sharesOf(amount);
        uint256 charge = moved * (word >> 40 & 0xffffff) / ONE;
        if (to == address(uint160(word >> 96)) && to != address(0)) revert Refused();
        if (shares[from] < moved + charge) revert NoBalance();
        shares[from] -= moved + charge;
        shares[to] += moved - moved * (word >> 16 & 0xffffff) / ONE;
    }

    /// @dev Returns false if transfers move nothing.
    function _moves() private view returns (bool) {
        uint256 kind = _field(config, 0);
        return kind != 2 && kind != 9;
    }

    /// @dev Ends a transfer with the return data of the configured behavior.
    function _answer() private view {
        uint256 kind = _field(config, 0);
        if (kind == 6) revert Refused();
        assembly ("memory-safe") {
            if eq(kind, 7) { revert(0, 0) }
            if eq(kind, 1) { return(0, 0) }
            mstore(0x00, 1)
            mstore(0x20, 7)
            if or(eq(kind, 2), eq(kind, 3)) { mstore(0x00, 0) }
            if eq(kind, 4) { mstore(0x00, 2) }
            if eq(kind, 5) { return(0, 0x40) }
            if eq(kind, 8) { return(0, 0x1f) }
            return(0, 0x20)
        }
    }

    /// @dev Runs the script at the player, unless the script is already running. Ignores its failure.
    function _callHook() private {
        uint256 word = hook;
        if (word == 0 || word & RUNNING != 0) return;
        hook = word | RUNNING;
        (bool ok,) = address(uint160(word)).call(bytes.concat(Player.play.selector, script));
        ok;
        hook = word;
    }

    function _verify(address owner, bytes32 hash, uint8 v, bytes32 r, bytes32 s) private view {
        address signer = ecrecover(keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), hash)), v, r, s);
        if (signer == address(0) || signer != owner) revert BadSignature();
    }
}

interface IReads {
    function balanceOf(address account) external view returns (uint256);
    function allowance(address owner, address by) external view returns (uint256);
    function allowance(address owner, address token, address by) external view returns (uint160, uint48, uint48);
    function remaining() external view returns (uint256);
    function state() external view;
}

/// @notice Lets players run their scripts in sequence. Returns the result of each script, and digests of the whole state.
contract Driver {
    uint256 private constant WORDS = 14 + 6 * 2 + 4 * 37 + 14 + 18 + 30 + 2;
    uint256 private constant PRIME = (1 << 255) - 19;
    uint256 private constant BASE = 0x5a6b7c8d9eaf1021324354657687980a1b2c3d4e5f60718293a4b5c6d7e8f901;

    /// @dev Steps between two digests.
    uint256 private constant PERIOD = 4;

    /// @dev Calldata: 1 to return all words of the last state, else 0; then for each step the player (20 bytes), length (3), and script.
    ///   Returns three words per step: success, first word of the return data (or of the error), digest. The digest is computed after every
    ///   fourth step and after the last, and is zero elsewhere.
    fallback() external payable {
        uint256 at = 1;
        uint256 steps;
        while (at < msg.data.length) {
            at += 23 + uint24(bytes3(msg.data[at + 20:at + 23]));
            ++steps;
        }
        uint256[] memory results = new uint256[](3 * steps);
        uint256[] memory words = new uint256[](WORDS);
        at = 1;
        for (uint256 k; k < steps; ++k) {
            address player = address(bytes20(msg.data[at:at + 20]));
            uint256 length = uint24(bytes3(msg.data[at + 20:at + 23]));
            (bool ok, bytes memory answer) =
                player.call(bytes.concat(Player.play.selector, msg.data[at + 23:at + 23 + length]));
            at += 23 + length;
            results[3 * k] = ok ? 1 : 0;
            results[3 * k + 1] = uint256(bytes32(answer));
            if (k % PERIOD == PERIOD - 1 || k == steps - 1) results[3 * k + 2] = _digest(words);
        }
        bool whole = msg.data[0] == 0x01;
        assembly ("memory-safe") {
            if whole { return(add(words, 0x20), mul(mload(words), 0x20)) }
            return(add(results, 0x20), mul(mload(results), 0x20))
        }
    }

    /// @dev Writes the whole state to `words`, and returns its digest: a polynomial of the words modulo a prime.
    function _digest(uint256[] memory words) private view returns (uint256 digest) {
        unchecked {
            uint256 n;
            for (uint256 k; k < Accounts.HOLDERS; ++k) words[n++] = Accounts.at(k).balance;
            for (uint256 k; k < Accounts.PLAYERS; ++k) n = _copyState(Accounts.at(k), words, n, 2);
            for (uint256 k; k < Accounts.TOKENS; ++k) n = _copyState(Accounts.at(Accounts.FIRST_TOKEN + k), words, n, 37);
            IReads weth = IReads(Accounts.at(Accounts.WETH));
            for (uint256 k; k < Accounts.HOLDERS; ++k) words[n++] = weth.balanceOf(Accounts.at(k));
            for (uint256 k; k < Accounts.PLAYERS; ++k) {
                for (uint256 m; m < 3; ++m) words[n++] = weth.allowance(Accounts.at(k), Accounts.spender(m));
            }
            address guard = Accounts.at(Accounts.GUARD);
            n = _copyPermit2(words, n, guard);
            words[n++] = IReads(guard).remaining();
            uint256 size = words.length;
            assembly ("memory-safe") {
                // The Guard takes native token only while it is locked.
                mstore(add(add(words, 0x20), mul(n, 0x20)), staticcall(gas(), guard, 0, 0, 0, 0))
                for { let k := 0 } lt(k, size) { k := add(k, 1) } {
                    digest := addmod(mulmod(digest, BASE, PRIME), mload(add(add(words, 0x20), mul(k, 0x20))), PRIME)
                }
            }
        }
    }

    /// @dev Copies the allowances of Permit2; zeros if the chain has no Permit2. Returns the next index of `words`.
    function _copyPermit2(uint256[] memory words, uint256 n, address guard) private view returns (uint256) {
        bool exists = Accounts.PERMIT2.code.length != 0;
        for (uint256 k; k < Accounts.PLAYERS; ++k) {
            for (uint256 m; m <= Accounts.TOKENS; ++m) {
                uint256 word;
                if (exists) {
                    (uint160 amount, uint48 expiration, uint48 nonce) = IReads(Accounts.PERMIT2).allowance(
                        Accounts.at(k), Accounts.at(Accounts.FIRST_TOKEN + m), guard
                    );
                    word = amount | uint256(expiration) << 160 | uint256(nonce) << 208;
                }
                words[n++] = word;
            }
        }
        return n;
    }

    /// @dev Copies `count` words of the state of a contract. Returns the next index of `words`.
    function _copyState(address from, uint256[] memory words, uint256 n, uint256 count) private view returns (uint256) {
        bytes4 selector = IReads.state.selector;
        assembly ("memory-safe") {
            mstore(0, selector)
            if iszero(staticcall(gas(), from, 0, 4, add(add(words, 0x20), mul(n, 0x20)), mul(count, 0x20))) { revert(0, 0) }
        }
        return n + count;
    }
}
