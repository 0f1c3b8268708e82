// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IDaiPermit} from "../../src/interfaces/IDaiPermit.sol";
import {IERC2612} from "../../src/interfaces/IERC2612.sol";

/// @notice Allowances, also by signature: EIP-2612 and DAI.
abstract contract Signed is IERC2612, IDaiPermit {
    bytes32 private constant DOMAIN = keccak256("EIP712Domain(uint256 chainId,address verifyingContract)");
    bytes32 private constant PERMIT =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    bytes32 private constant DAI_PERMIT =
        keccak256("Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)");

    event Transfer(address indexed from, address indexed to, uint256 amount);

    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) public nonces;

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        require(block.timestamp <= deadline, "expired");
        _verify(owner, keccak256(abi.encode(PERMIT, owner, spender, value, nonces[owner]++, deadline)), v, r, s);
        allowance[owner][spender] = value;
    }

    function permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)
        external
    {
        require(expiry == 0 || block.timestamp <= expiry, "expired");
        require(nonce == nonces[holder]++, "nonce");
        _verify(holder, keccak256(abi.encode(DAI_PERMIT, holder, spender, nonce, expiry, allowed)), v, r, s);
        allowance[holder][spender] = allowed ? type(uint256).max : 0;
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(abi.encode(DOMAIN, block.chainid, address(this)));
    }

    function _verify(address owner, bytes32 hash, uint8 v, bytes32 r, bytes32 s) internal virtual {
        address signer = ecrecover(keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), hash)), v, r, s);
        require(signer != address(0) && signer == owner, "signature");
    }
}

/// @notice An ordinary token that anyone can mint.
contract Token is Signed {
    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;
    uint256 public totalSupply;

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external virtual returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external virtual returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external virtual returns (bool) {
        _spend(from, amount);
        _move(from, to, amount);
        return true;
    }

    /// @dev For a proxy token in front of this one.
    function move(address from, address to, uint256 amount) external {
        _move(from, to, amount);
    }

    function _spend(address from, uint256 amount) internal {
        require(allowance[from][msg.sender] >= amount, "allowance");
        if (allowance[from][msg.sender] != type(uint256).max) allowance[from][msg.sender] -= amount;
    }

    function _move(address from, address to, uint256 amount) internal virtual {
        require(balanceOf[from] >= amount, "balance");
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }
}

/// @notice Keeps a part of every transfer.
contract TaxedToken is Token {
    uint256 public immutable TAX_PPM;

    constructor(uint256 taxPpm) {
        TAX_PPM = taxPpm;
    }

    function _move(address from, address to, uint256 amount) internal override {
        require(balanceOf[from] >= amount, "balance");
        balanceOf[from] -= amount;
        uint256 tax = amount * TAX_PPM / 1e6;
        totalSupply -= tax;
        balanceOf[to] += amount - tax;
        emit Transfer(from, to, amount - tax);
    }
}

/// @notice Returns false and moves nothing.
contract FalseToken is Token {
    function transfer(address, uint256) external pure override returns (bool) {
        return false;
    }

    function transferFrom(address, address, uint256) external pure override returns (bool) {
        return false;
    }
}

/// @notice Moves tokens and returns nothing, like USDT.
contract NoReturnToken is Signed {
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external {
        allowance[msg.sender][spender] = amount;
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }
}

/// @notice Its balances change by themselves: `rebase` multiplies all of them, like those of a share token.
contract RebasingToken is Signed {
    uint256 internal constant ONE = 1e18;
    uint256 public rate = ONE;
    mapping(address => uint256) internal shares;

    function mint(address to, uint256 amount) external {
        shares[to] += amount * ONE / rate;
    }

    /// @param newRate Balance per share, 18 decimals.
    function rebase(uint256 newRate) external {
        rate = newRate;
    }

    function balanceOf(address account) public view returns (uint256) {
        return shares[account] * rate / ONE;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        return _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) internal returns (bool) {
        uint256 moved = amount * ONE / rate;
        shares[from] -= moved;
        shares[to] += moved;
        emit Transfer(from, to, amount);
        return true;
    }
}

/// @notice Calls a hook that its owner sets, at the start of every transfer and permit.
contract HookToken is Token {
    address public target;
    bytes public data;
    bool public reached;
    bytes public answer;

    function hook(address target_, bytes calldata data_) external {
        (target, data, reached, answer) = (target_, data_, false, "");
    }

    function _move(address from, address to, uint256 amount) internal override {
        _call();
        super._move(from, to, amount);
    }

    function _verify(address owner, bytes32 hash, uint8 v, bytes32 r, bytes32 s) internal override {
        _call();
        super._verify(owner, hash, v, r, s);
    }

    function _call() private {
        if (target != address(0)) {
            (reached, answer) = target.call(data);
        }
    }
}

/// @notice Rejects transfers to some accounts.
contract BlacklistToken is Token {
    mapping(address => bool) public refused;

    function refuse(address account) external {
        refused[account] = true;
    }

    function _move(address from, address to, uint256 amount) internal override {
        require(!refused[to], "refused");
        super._move(from, to, amount);
    }
}

/// @notice Balances are in a separate store, as behind an upgradeable proxy; the symbol is bytes32.
contract SplitToken is Signed {
    bytes32 public constant symbol = "SPLIT";
    Token public immutable STORE = new Token();

    function mint(address to, uint256 amount) external {
        STORE.mint(to, amount);
    }

    function balanceOf(address account) external view returns (uint256) {
        return STORE.balanceOf(account);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        return _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) internal returns (bool) {
        STORE.move(from, to, amount);
        return true;
    }
}

/// @notice Charges the sender in addition to the transferred amount.
contract SurchargeToken is Token {
    uint256 public immutable CHARGE_PPM;

    constructor(uint256 chargePpm) {
        CHARGE_PPM = chargePpm;
    }

    function _move(address from, address to, uint256 amount) internal override {
        uint256 charge = amount * CHARGE_PPM / 1e6;
        require(balanceOf[from] >= amount + charge, "balance");
        balanceOf[from] -= amount + charge;
        totalSupply -= charge;
        balanceOf[to] += amount;
    }
}
