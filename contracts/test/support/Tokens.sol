// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice An ordinary token that anyone mints.
contract Token {
    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
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

    /// @dev For a token in front of this one.
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
    }
}

/// @notice Answers false and moves nothing.
contract FalseToken is Token {
    function transfer(address, uint256) external pure override returns (bool) {
        return false;
    }

    function transferFrom(address, address, uint256) external pure override returns (bool) {
        return false;
    }
}

/// @notice Moves and answers nothing, as USDT does.
contract NoReturnToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external {
        allowance[msg.sender][spender] = amount;
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }

    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}

/// @notice Its balances move on their own: `rebase` multiplies every one of them, as a share token's do.
contract RebasingToken {
    uint256 internal constant ONE = 1e18;
    uint256 public rate = ONE;
    mapping(address => uint256) internal shares;
    mapping(address => mapping(address => uint256)) public allowance;

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
        return true;
    }
}

/// @notice Calls a hook of its owner's choice on every transfer, before it moves anything.
contract HookToken is Token {
    address public target;
    bytes public data;
    bool public reached;
    bytes public answer;

    function hook(address target_, bytes calldata data_) external {
        (target, data, reached, answer) = (target_, data_, false, "");
    }

    function _move(address from, address to, uint256 amount) internal override {
        if (target != address(0)) {
            (reached, answer) = target.call(data);
        }
        super._move(from, to, amount);
    }
}

/// @notice Refuses to pay some accounts.
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

/// @notice Balances live in a store of their own, as behind an upgradeable proxy; the symbol is bytes32.
contract SplitToken {
    bytes32 public constant symbol = "SPLIT";
    Token public immutable STORE = new Token();

    function mint(address to, uint256 amount) external {
        STORE.mint(to, amount);
    }

    function balanceOf(address account) external view returns (uint256) {
        return STORE.balanceOf(account);
    }

    mapping(address => mapping(address => uint256)) public allowance;

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
