// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Storage layouts of real tokens, from public bug reports of other tools. The test cites each report. Only the slots
/// and encodings are those of the real tokens.
abstract contract RealToken {
    string public constant name = "Real";
    string public constant symbol = "REAL";
    uint8 public constant decimals = 18;

    function balanceOf(address holder) public view virtual returns (uint256);
    function allowance(address holder, address spender) public view virtual returns (uint256);
    function _setBalance(address holder, uint256 amount) internal virtual;
    function _setAllowance(address holder, address spender, uint256 amount) internal virtual;

    function mint(address to, uint256 amount) external virtual {
        _setBalance(to, balanceOf(to) + amount);
    }

    function approve(address spender, uint256 amount) external virtual returns (bool) {
        _setAllowance(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance(from, msg.sender);
        require(allowed >= amount, "allowance");
        if (allowed != type(uint256).max) _setAllowance(from, msg.sender, allowed - amount);
        _move(from, to, amount);
        return true;
    }

    function _move(address from, address to, uint256 amount) internal virtual {
        uint256 held = balanceOf(from);
        require(held >= amount, "balance");
        _setBalance(from, held - amount);
        _setBalance(to, balanceOf(to) + amount);
    }
}

/// Allowances in the layout of most tokens.
abstract contract UsualAllowances is RealToken {
    mapping(address => mapping(address => uint256)) internal allowances;

    function allowance(address holder, address spender) public view virtual override returns (uint256) {
        return allowances[holder][spender];
    }

    function _setAllowance(address holder, address spender, uint256 amount) internal virtual override {
        allowances[holder][spender] = amount;
    }
}

/// Balances in the layout of most tokens.
abstract contract UsualBalances is RealToken {
    mapping(address => uint256) internal balances;

    function balanceOf(address holder) public view virtual override returns (uint256) {
        return balances[holder];
    }

    function _setBalance(address holder, uint256 amount) internal virtual override {
        balances[holder] = amount;
    }
}

contract StructMember is UsualAllowances {
    struct Account {
        uint256 since;
        uint256 balance;
        bool frozen;
    }

    mapping(address => Account) internal accounts;

    function balanceOf(address holder) public view override returns (uint256) {
        require(!accounts[holder].frozen);
        return accounts[holder].balance;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        accounts[holder].balance = amount;
    }
}

contract FarStructMember is UsualAllowances {
    struct Account {
        uint256[6] history;
        uint256 balance;
    }

    uint256[300] private gap;
    mapping(address => Account) internal accounts;

    function balanceOf(address holder) public view override returns (uint256) {
        return accounts[holder].balance;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        accounts[holder].balance = amount;
    }
}

/// Principal in the lowest bits of a struct, scaled by an index. An allowance is unlimited or zero.
contract LendingMarket is RealToken {
    struct Basic {
        int104 principal;
        uint64 trackingIndex;
        uint64 accrued;
    }

    mapping(address => mapping(address => bool)) internal isAllowed;
    mapping(address => Basic) internal basics;
    uint256 private constant INDEX = 1.07e15;

    function balanceOf(address holder) public view override returns (uint256) {
        int104 principal = basics[holder].principal;
        return principal > 0 ? uint256(uint104(principal)) * INDEX / 1e15 : 0;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        basics[holder].principal = int104(uint104((amount * 1e15 + INDEX - 1) / INDEX));
    }

    function allowance(address holder, address spender) public view override returns (uint256) {
        return isAllowed[holder][spender] ? type(uint256).max : 0;
    }

    function approve(address spender, uint256 amount) external override returns (bool) {
        require(amount == 0 || amount == type(uint256).max, "bad amount");
        isAllowed[msg.sender][spender] = amount > 0;
        return true;
    }

    function _setAllowance(address, address, uint256) internal pure override {
        revert();
    }
}

/// Shares and an index in one word. Another contract returns the income that scales them.
contract Pool {
    uint256 public constant income = 1.0312345e27;
}

contract AToken is UsualAllowances {
    struct State {
        uint128 balance;
        uint128 additionalData;
    }

    mapping(address => State) internal states;
    Pool internal immutable pool = new Pool();

    function balanceOf(address holder) public view override returns (uint256) {
        return (uint256(states[holder].balance) * pool.income() + 0.5e27) / 1e27;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        uint256 income = pool.income();
        states[holder].balance = uint128((amount * 1e27 + income / 2) / income);
        states[holder].additionalData = uint128(income);
    }
}

/// Credits at the rate of the token, or at the rate of the account if the account does not rebase.
contract Credits is UsualAllowances {
    mapping(address => uint256) internal credits;
    mapping(address => uint256) internal ownRate;
    uint256 internal constant RATE = 0.81e27;

    function balanceOf(address holder) public view override returns (uint256) {
        uint256 rate = ownRate[holder] == 0 ? RATE : ownRate[holder];
        return credits[holder] * 1e18 / rate;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        uint256 rate = ownRate[holder] == 0 ? RATE : ownRate[holder];
        credits[holder] = (amount * rate + 1e18 - 1) / 1e18;
    }
}

/// A large number of shares per base unit, behind a proxy.
contract Gons is UsualAllowances {
    mapping(address => uint256) internal gons;
    uint256 private constant PER_UNIT = uint256(2 ** 128) / 5e17;

    function balanceOf(address holder) public view override returns (uint256) {
        return gons[holder] / PER_UNIT;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        gons[holder] = amount * PER_UNIT;
    }
}

/// Excluded accounts have a balance in another mapping, in addition to the reflected one.
contract Excluding is UsualAllowances {
    mapping(address => uint256) internal reflected;
    mapping(address => uint256) internal owned;
    mapping(address => bool) internal isExcluded;
    uint256 private constant RATE = 2 ** 200;

    function balanceOf(address holder) public view override returns (uint256) {
        return isExcluded[holder] ? owned[holder] : reflected[holder] / RATE;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        if (isExcluded[holder]) owned[holder] = amount;
        reflected[holder] = amount * RATE;
    }
}

contract BalanceSheet {
    mapping(address => uint256) public balanceOf;

    function set(address holder, uint256 amount) external {
        balanceOf[holder] = amount;
    }
}

contract AllowanceSheet {
    uint256[2] private gap;
    mapping(address => mapping(address => uint256)) public allowanceOf;

    function set(address holder, address spender, uint256 amount) external {
        allowanceOf[holder][spender] = amount;
    }
}

/// Balances in one contract and allowances in another.
contract TwoSheets is RealToken {
    BalanceSheet internal sheet = new BalanceSheet();
    AllowanceSheet internal allowances = new AllowanceSheet();

    function balanceOf(address holder) public view override returns (uint256) {
        return sheet.balanceOf(holder);
    }

    function allowance(address holder, address spender) public view override returns (uint256) {
        return allowances.allowanceOf(holder, spender);
    }

    function _setBalance(address holder, uint256 amount) internal override {
        sheet.set(holder, amount);
    }

    function _setAllowance(address holder, address spender, uint256 amount) internal override {
        allowances.set(holder, spender, amount);
    }
}

contract EternalStore {
    mapping(bytes32 => uint256) public numbers;

    function set(bytes32 key, uint256 value) external {
        numbers[key] = value;
    }
}

/// Numbers by hashed names, in another contract.
contract Eternal is RealToken {
    EternalStore internal immutable store = new EternalStore();

    function balanceOf(address holder) public view override returns (uint256) {
        return store.numbers(keccak256(abi.encodePacked("token.balance", holder)));
    }

    function allowance(address holder, address spender) public view override returns (uint256) {
        return store.numbers(keccak256(abi.encodePacked("token.allowance", holder, spender)));
    }

    function _setBalance(address holder, uint256 amount) internal override {
        store.set(keccak256(abi.encodePacked("token.balance", holder)), amount);
    }

    function _setAllowance(address holder, address spender, uint256 amount) internal override {
        store.set(keccak256(abi.encodePacked("token.allowance", holder, spender)), amount);
    }
}

contract HashedAllowances is UsualBalances {
    mapping(bytes32 => uint256) internal hashed;

    function allowance(address holder, address spender) public view override returns (uint256) {
        return hashed[keccak256(abi.encodePacked(holder, spender))];
    }

    function _setAllowance(address holder, address spender, uint256 amount) internal override {
        hashed[keccak256(abi.encodePacked(holder, spender))] = amount;
    }
}

contract SpenderFirst is UsualBalances {
    mapping(address => mapping(address => uint256)) internal bySpender;

    function allowance(address holder, address spender) public view override returns (uint256) {
        return bySpender[spender][holder];
    }

    function _setAllowance(address holder, address spender, uint256 amount) internal override {
        bySpender[spender][holder] = amount;
    }
}

/// Amount, expiration, and nonce in one word. An allowance without an expiration has expired.
contract ExpiringAllowances is UsualBalances {
    struct Allowed {
        uint160 amount;
        uint48 expiration;
        uint48 nonce;
    }

    mapping(address => mapping(address => Allowed)) internal allowed;

    function allowance(address holder, address spender) public view override returns (uint256) {
        Allowed storage entry = allowed[holder][spender];
        return entry.expiration >= block.timestamp ? entry.amount : 0;
    }

    function _setAllowance(address holder, address spender, uint256 amount) internal override {
        allowed[holder][spender] = Allowed(uint160(amount), type(uint48).max, 0);
    }
}

/// Numbers of 96 bits. The maximum is an unlimited allowance.
contract Narrow is RealToken {
    mapping(address => mapping(address => uint96)) internal allowed;
    mapping(address => uint96) internal held;

    function balanceOf(address holder) public view override returns (uint256) {
        return held[holder];
    }

    function allowance(address holder, address spender) public view override returns (uint256) {
        return allowed[holder][spender];
    }

    function _setBalance(address holder, uint256 amount) internal override {
        held[holder] = uint96(amount);
    }

    function _setAllowance(address holder, address spender, uint256 amount) internal override {
        allowed[holder][spender] = amount > type(uint96).max ? type(uint96).max : uint96(amount);
    }
}

abstract contract InNamespace is RealToken {
    struct Layout {
        uint256[6] before;
        mapping(address => uint256) balances;
        uint256[4] between;
        mapping(address => mapping(address => uint256)) allowances;
    }

    function _layout() internal pure virtual returns (Layout storage);

    function balanceOf(address holder) public view override returns (uint256) {
        return _layout().balances[holder];
    }

    function allowance(address holder, address spender) public view override returns (uint256) {
        return _layout().allowances[holder][spender];
    }

    function _setBalance(address holder, uint256 amount) internal override {
        _layout().balances[holder] = amount;
    }

    function _setAllowance(address holder, address spender, uint256 amount) internal override {
        _layout().allowances[holder][spender] = amount;
    }
}

/// ERC-7201, members 6 and 11.
contract FarMembers is InNamespace {
    function _layout() internal pure override returns (Layout storage layout) {
        bytes32 place = 0x52d18bf8e7e7a1f2c6a6d05cb64a94ba8a57b4ffb2ad6b8d1b8e3a1c0bd9a200;
        assembly {
            layout.slot := place
        }
    }
}

/// Storage of a diamond (ERC-2535), at the hash of a name.
contract Diamond is InNamespace {
    function _layout() internal pure override returns (Layout storage layout) {
        bytes32 place = keccak256("diamond.storage.token");
        assembly {
            layout.slot := place
        }
    }
}

/// One of many tokens that a contract stores by number.
contract ByNumberFirst is UsualAllowances {
    mapping(uint256 => mapping(address => uint256)) internal byId;

    function balanceOf(address holder) public view override returns (uint256) {
        return byId[7][holder];
    }

    function _setBalance(address holder, uint256 amount) internal override {
        byId[7][holder] = amount;
    }
}

contract ByHolderFirst is UsualAllowances {
    mapping(address => mapping(uint256 => uint256)) internal byHolder;

    function balanceOf(address holder) public view override returns (uint256) {
        return byHolder[holder][7];
    }

    function _setBalance(address holder, uint256 amount) internal override {
        byHolder[holder][7] = amount;
    }
}

/// The balance is the sum of two words.
contract TwoParts is UsualAllowances {
    mapping(address => uint256) internal liquid;
    mapping(address => uint256[2]) internal locked;

    function balanceOf(address holder) public view override returns (uint256) {
        return liquid[holder] + locked[holder][1];
    }

    function _setBalance(address holder, uint256 amount) internal override {
        liquid[holder] = amount - locked[holder][1];
    }
}

/// A balance in the high half of a word. The low half is the time of the last transfer.
contract HighHalf is UsualAllowances {
    mapping(address => uint256) internal words;

    function balanceOf(address holder) public view override returns (uint256) {
        return words[holder] >> 128;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        words[holder] = amount << 128 | block.timestamp;
    }
}

/// A balance of 112 bits in the second word of a struct, next to an address.
contract PackedMember is UsualAllowances {
    struct Account {
        address delegate;
        uint96 nonce;
        uint64 since;
        uint112 balance;
    }

    mapping(address => Account) internal accounts;

    function balanceOf(address holder) public view override returns (uint256) {
        return accounts[holder].balance;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        accounts[holder].balance = uint112(amount);
    }
}

/// Balances by the number of the holder.
contract Numbered is UsualAllowances {
    mapping(address => uint256) internal numbers;
    mapping(uint256 => uint256) internal byNumber;
    uint256 internal count;

    function balanceOf(address holder) public view override returns (uint256) {
        return numbers[holder] == 0 ? 0 : byNumber[numbers[holder]];
    }

    function _setBalance(address holder, uint256 amount) internal override {
        if (numbers[holder] == 0) numbers[holder] = ++count;
        byNumber[numbers[holder]] = amount;
    }
}

/// Shares of a pool that grows with time.
contract Growing is UsualAllowances {
    mapping(address => uint256) internal shares;
    uint256 internal immutable start = block.timestamp;

    function _rate() internal view returns (uint256) {
        return 1e18 + (block.timestamp - start) * 3e9;
    }

    function balanceOf(address holder) public view override returns (uint256) {
        return shares[holder] * _rate() / 1e18;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        shares[holder] = (amount * 1e18 + _rate() - 1) / _rate();
    }
}

/// Vyper's order of hashing, the second word of a struct.
contract VyperMember is UsualAllowances {
    function _key(address holder) private pure returns (bytes32) {
        return bytes32(uint256(keccak256(abi.encode(uint256(3), holder))) + 1);
    }

    function balanceOf(address holder) public view override returns (uint256 amount) {
        bytes32 key = _key(holder);
        assembly {
            amount := sload(key)
        }
    }

    function _setBalance(address holder, uint256 amount) internal override {
        bytes32 key = _key(holder);
        assembly {
            sstore(key, amount)
        }
    }
}

/// Shares of a pooled amount. The totals are at hashed slots.
contract PooledShares is UsualAllowances {
    mapping(address => uint256) internal shares;
    bytes32 private constant POOLED = keccak256("pooled.ether");
    bytes32 private constant TOTAL = keccak256("total.shares");

    constructor() {
        (bytes32 pooled, bytes32 total) = (POOLED, TOTAL);
        assembly {
            sstore(pooled, 123456789012345678901234567)
            sstore(total, 100000000000000000000000000)
        }
    }

    function _totals() private view returns (uint256 pooled, uint256 total) {
        (bytes32 a, bytes32 b) = (POOLED, TOTAL);
        assembly {
            pooled := sload(a)
            total := sload(b)
        }
    }

    function balanceOf(address holder) public view override returns (uint256) {
        (uint256 pooled, uint256 total) = _totals();
        return shares[holder] * pooled / total;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        (uint256 pooled, uint256 total) = _totals();
        shares[holder] = (amount * total + pooled - 1) / pooled;
    }
}

/// One half of the word is a locked amount, which is not part of the balance.
contract LockedHalf is UsualAllowances {
    struct Account {
        uint128 locked;
        uint128 total;
    }

    mapping(address => Account) internal accounts;

    function balanceOf(address holder) public view override returns (uint256) {
        return accounts[holder].total - accounts[holder].locked;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        accounts[holder].total = uint128(amount) + accounts[holder].locked;
    }
}

/// The holder's address is the slot.
contract AddressSlot is UsualAllowances {
    function balanceOf(address holder) public view override returns (uint256 amount) {
        assembly {
            amount := sload(holder)
        }
    }

    function _setBalance(address holder, uint256 amount) internal override {
        assembly {
            sstore(holder, amount)
        }
    }
}

/// Slots are hashes of texts.
contract TextKeys is RealToken {
    mapping(string => mapping(bytes => uint256)) internal texts;

    function balanceOf(address holder) public view override returns (uint256) {
        return texts["balance"][abi.encodePacked(holder)];
    }

    function allowance(address holder, address spender) public view override returns (uint256) {
        return texts["allowance"][abi.encodePacked(holder, spender)];
    }

    function _setBalance(address holder, uint256 amount) internal override {
        texts["balance"][abi.encodePacked(holder)] = amount;
    }

    function _setAllowance(address holder, address spender, uint256 amount) internal override {
        texts["allowance"][abi.encodePacked(holder, spender)] = amount;
    }
}

/// A balance in the low 128 bits, votes above it, and a delegate in another word.
contract WithVotes is UsualAllowances {
    struct Voter {
        uint128 balance;
        uint128 votes;
        address delegate;
    }

    uint256[1_003] private gap;
    mapping(address => Voter) internal voters;

    function balanceOf(address holder) public view override returns (uint256) {
        return voters[holder].balance;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        voters[holder].balance = uint128(amount);
    }
}

/// A list of checkpoints: 32 bits of time and 224 bits of balance. The last one is the balance.
contract PackedCheckpoints is UsualAllowances {
    mapping(address => uint256[]) internal points;

    function balanceOf(address holder) public view override returns (uint256) {
        uint256 count = points[holder].length;
        return count == 0 ? 0 : points[holder][count - 1] >> 32;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        points[holder].push(amount << 32 | uint32(block.timestamp));
    }
}

/// One of many ledgers in a mapping, at a hash of the token's address.
contract AmongMany is UsualAllowances {
    struct Ledger {
        mapping(address => uint256) balances;
    }

    mapping(bytes32 => Ledger) internal ledgers;

    function balanceOf(address holder) public view override returns (uint256) {
        return ledgers[keccak256(abi.encode(address(this), "token"))].balances[holder];
    }

    function _setBalance(address holder, uint256 amount) internal override {
        ledgers[keccak256(abi.encode(address(this), "token"))].balances[holder] = amount;
    }
}

/// Draws an amount by allowance.
contract Taker {
    function take(RealToken token, uint256 amount) external {
        token.transferFrom(msg.sender, address(this), amount);
    }
}
