// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Common part of all layouts. They differ in the slots and the encoding of balances.
abstract contract Token {
    function balanceOf(address holder) public view virtual returns (uint256);
    function allowance(address holder, address spender) public view virtual returns (uint256);
    function _setBalance(address holder, uint256 amount) internal virtual;
    function _setAllowance(address holder, address spender, uint256 amount) internal virtual;

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        _setAllowance(from, msg.sender, allowance(from, msg.sender) - amount);
        _setBalance(from, balanceOf(from) - amount);
        _setBalance(to, balanceOf(to) + amount);
        return true;
    }

    function _read(bytes32 key) internal view returns (uint256 value) {
        assembly { value := sload(key) }
    }

    function _write(bytes32 key, uint256 value) internal {
        assembly { sstore(key, value) }
    }
}

/// Balances and allowances in words at slots that the layout computes.
abstract contract KeyedToken is Token {
    function _balanceKey(address holder) internal view virtual returns (bytes32);
    function _allowanceKey(address holder, address spender) internal view virtual returns (bytes32);

    function balanceOf(address holder) public view virtual override returns (uint256) {
        return _read(_balanceKey(holder));
    }

    function allowance(address holder, address spender) public view override returns (uint256) {
        return _read(_allowanceKey(holder, spender));
    }

    function _setBalance(address holder, uint256 amount) internal virtual override {
        _write(_balanceKey(holder), amount);
    }

    function _setAllowance(address holder, address spender, uint256 amount) internal override {
        _write(_allowanceKey(holder, spender), amount);
    }
}

abstract contract SolidityOrder is KeyedToken {
    function _bases() internal view virtual returns (uint256 balances, uint256 allowances);

    function _balanceKey(address holder) internal view override returns (bytes32) {
        (uint256 base,) = _bases();
        return keccak256(abi.encode(holder, base));
    }

    function _allowanceKey(address holder, address spender) internal view override returns (bytes32) {
        (, uint256 base) = _bases();
        return keccak256(abi.encode(spender, keccak256(abi.encode(holder, base))));
    }
}

contract Plain is SolidityOrder {
    function _bases() internal pure override returns (uint256, uint256) { return (0, 1); }
}

contract WrappedNative is SolidityOrder {
    function _bases() internal pure override returns (uint256, uint256) { return (3, 4); }
}

contract Upgradeable is SolidityOrder {
    function _bases() internal pure override returns (uint256, uint256) { return (51, 52); }
}

contract Namespaced is SolidityOrder {
    uint256 private constant NAMESPACE = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00;
    function _bases() internal pure override returns (uint256, uint256) { return (NAMESPACE, NAMESPACE + 1); }
}

/// Members 3 and 4 of a struct at a slot that no list of known slots contains.
contract OwnNamespace is SolidityOrder {
    uint256 private constant NAMESPACE = uint256(keccak256("acme.storage.token.v9"));
    function _bases() internal pure override returns (uint256, uint256) { return (NAMESPACE + 3, NAMESPACE + 4); }
}

contract VyperOrder is KeyedToken {
    function _balanceKey(address holder) internal pure override returns (bytes32) {
        return keccak256(abi.encode(uint256(7), holder));
    }

    function _allowanceKey(address holder, address spender) internal pure override returns (bytes32) {
        return keccak256(abi.encode(keccak256(abi.encode(uint256(8), holder)), spender));
    }
}

contract Seeded is KeyedToken {
    function _balanceKey(address holder) internal pure override returns (bytes32) {
        return keccak256(abi.encodePacked(holder, uint64(0), bytes4(0x87a211a2)));
    }

    function _allowanceKey(address holder, address spender) internal pure override returns (bytes32) {
        return keccak256(abi.encodePacked(holder, uint64(0), bytes4(0x7f5e9f20), spender));
    }
}

/// The highest bit of a balance is a flag that the holder is barred.
contract Barred is SolidityOrder {
    function _bases() internal pure override returns (uint256, uint256) { return (9, 10); }

    function balanceOf(address holder) public view override returns (uint256) {
        return super.balanceOf(holder) & ((1 << 255) - 1);
    }
}

/// A balance in the low 96 bits. The bits above it contain other data, which must stay.
contract Packed is SolidityOrder {
    function _bases() internal pure override returns (uint256, uint256) { return (4, 3); }

    constructor(address marked) {
        _write(_balanceKey(marked), 77 << 96);
    }

    function balanceOf(address holder) public view override returns (uint256) {
        return uint96(super.balanceOf(holder));
    }

    function _setBalance(address holder, uint256 amount) internal override {
        super._setBalance(holder, (super.balanceOf(holder) >> 96 << 96) | amount);
    }

    function upper(address holder) external view returns (uint256) {
        return super.balanceOf(holder) >> 96;
    }
}

/// A balance from bit 8 on, above a flag.
contract Shifted is SolidityOrder {
    function _bases() internal pure override returns (uint256, uint256) { return (0, 1); }

    function balanceOf(address holder) public view override returns (uint256) {
        return super.balanceOf(holder) >> 8;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        super._setBalance(holder, amount << 8 | uint8(super.balanceOf(holder)));
    }
}

/// Shares worth slightly more than one base unit, like those of staking tokens.
contract Shares is SolidityOrder {
    uint256 private constant POOLED = 9_312_345_678_901_234_567_890_123;
    uint256 private constant TOTAL = 7_654_321e18;
    function _bases() internal pure override returns (uint256, uint256) { return (0, 1); }

    function balanceOf(address holder) public view override returns (uint256) {
        return super.balanceOf(holder) * POOLED / TOTAL;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        super._setBalance(holder, amount * TOTAL / POOLED);
    }
}

/// Shares in the low half of a word and an index in the high half, rounded to the nearest, like those of lending
/// tokens.
contract Lent is SolidityOrder {
    uint256 private constant INDEX = 1_123_456789012345678901234567;
    function _bases() internal pure override returns (uint256, uint256) { return (52, 53); }

    function balanceOf(address holder) public view override returns (uint256) {
        return (uint128(super.balanceOf(holder)) * INDEX + 5e26) / 1e27;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        super._setBalance(holder, (amount * 1e27 + INDEX / 2) / INDEX | INDEX << 128);
    }
}

/// A large number of shares per base unit, like those of elastic tokens.
contract Elastic is SolidityOrder {
    uint256 private constant PER_UNIT = type(uint256).max / 134_567_890_123_456_789;
    function _bases() internal pure override returns (uint256, uint256) { return (3, 4); }

    function balanceOf(address holder) public view override returns (uint256) {
        return super.balanceOf(holder) / PER_UNIT;
    }

    function _setBalance(address holder, uint256 amount) internal override {
        super._setBalance(holder, amount * PER_UNIT);
    }
}

/// Reverts in `balanceOf` if the shares exceed their total, like reflection tokens.
contract Reflection is SolidityOrder {
    uint256 private constant UNITS = 1_000_000_000e9;
    uint256 private constant TOTAL = type(uint256).max - type(uint256).max % UNITS - type(uint256).max / 37;
    function _bases() internal pure override returns (uint256, uint256) { return (0, 2); }

    function balanceOf(address holder) public view override returns (uint256) {
        uint256 shares = super.balanceOf(holder);
        require(shares <= TOTAL, "Amount must be less than total reflections");
        return shares / (TOTAL / UNITS);
    }

    function _setBalance(address holder, uint256 amount) internal override {
        super._setBalance(holder, amount * (TOTAL / UNITS));
    }
}

/// A list of checkpoints for each holder. The last one is the balance.
contract Checkpoints is Token {
    struct Checkpoint {
        uint128 fromBlock;
        uint128 value;
    }

    uint256[8] private before;
    mapping(address => Checkpoint[]) private checkpoints;
    mapping(address => mapping(address => uint256)) private allowances;

    function balanceOf(address holder) public view override returns (uint256) {
        uint256 count = checkpoints[holder].length;
        return count == 0 ? 0 : checkpoints[holder][count - 1].value;
    }

    function allowance(address holder, address spender) public view override returns (uint256) {
        return allowances[holder][spender];
    }

    function _setBalance(address holder, uint256 amount) internal override {
        checkpoints[holder].push(Checkpoint(uint128(block.number), uint128(amount)));
    }

    function _setAllowance(address holder, address spender, uint256 amount) internal override {
        allowances[holder][spender] = amount;
    }
}

contract Store {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function setBalance(address holder, uint256 amount) external {
        balanceOf[holder] = amount;
    }

    function setAllowance(address holder, address spender, uint256 amount) external {
        allowance[holder][spender] = amount;
    }
}

/// A token that stores all balances in another contract.
contract Stored is Token {
    address private owner = msg.sender;
    Store private store = new Store();

    function balanceOf(address holder) public view override returns (uint256) {
        return store.balanceOf(holder);
    }

    function allowance(address holder, address spender) public view override returns (uint256) {
        return store.allowance(holder, spender);
    }

    function _setBalance(address holder, uint256 amount) internal override {
        store.setBalance(holder, amount);
    }

    function _setAllowance(address holder, address spender, uint256 amount) internal override {
        store.setAllowance(holder, spender, amount);
    }
}

/// Runs the code of `OwnNamespace` on its own storage.
contract Proxied {
    bytes32 private constant IMPLEMENTATION = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor() {
        address implementation = address(new OwnNamespace());
        assembly { sstore(IMPLEMENTATION, implementation) }
    }

    fallback() external {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), sload(IMPLEMENTATION), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if ok { return(0, returndatasize()) }
            revert(0, returndatasize())
        }
    }
}
