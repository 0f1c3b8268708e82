// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Rejects transfers in transactions of an account with code, and transfers of accounts that the owner has barred.
contract PickyToken {
    string public constant name = "Picky";
    string public constant symbol = "PICKY";
    uint8 public constant decimals = 18;
    address private immutable owner = msg.sender;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public barred;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function bar(address account) external {
        require(msg.sender == owner);
        barred[account] = true;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        move(from, to, amount);
        return true;
    }

    function move(address from, address to, uint256 amount) private {
        require(tx.origin.code.length == 0, "people only");
        require(!barred[from] && !barred[to] && !barred[tx.origin], "barred");
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}

/// A token with any name and symbol.
contract NamedToken {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
    }

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

/// A share of a lending reserve, like an aToken: one share is worth one unit of the assets, including lent ones.
contract ReserveShare {
    string public constant name = "Reserve share";
    string public constant symbol = "aTEST";
    uint8 public constant decimals = 18;
    address public immutable UNDERLYING_ASSET_ADDRESS;
    uint256 public immutable totalSupply;
    mapping(address => uint256) public balanceOf;

    constructor(address underlying, uint256 supply) {
        UNDERLYING_ASSET_ADDRESS = underlying;
        totalSupply = balanceOf[msg.sender] = supply;
    }

    function lend(address to, uint256 amount) external {
        NamedToken(UNDERLYING_ASSET_ADDRESS).transfer(to, amount);
    }
}

/// A token that can be bought but not sold: it rejects transfers to accounts that the owner has closed, such as a pair.
contract TrapToken {
    string public constant name = "Trap";
    string public constant symbol = "TRAP";
    uint8 public constant decimals = 18;
    address private immutable owner = msg.sender;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public closed;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function close(address account) external {
        require(msg.sender == owner);
        closed[account] = true;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        move(from, to, amount);
        return true;
    }

    function move(address from, address to, uint256 amount) private {
        require(!closed[to], "closed");
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}

/// A factory like that of Uniswap V2, with one pair.
contract LyingFactory {
    address public immutable pair;
    address private immutable first;
    address private immutable second;

    event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count);

    constructor(address a, address b) {
        (first, second) = a < b ? (a, b) : (b, a);
        pair = address(new LyingPair(first, second, msg.sender));
        emit PairCreated(first, second, pair, 1);
    }

    function getPair(address a, address b) external view returns (address) {
        (a, b) = a < b ? (a, b) : (b, a);
        return a == first && b == second ? pair : address(0);
    }
}

/// A pair like that of Uniswap V2, whose owner sets the reserves. It pays any requested output up to its balance.
contract LyingPair {
    address public immutable token0;
    address public immutable token1;
    address private immutable owner;
    uint112 private reserve0;
    uint112 private reserve1;

    event Sync(uint112 reserve0, uint112 reserve1);

    constructor(address a, address b, address by) {
        (token0, token1, owner) = (a, b, by);
    }

    function getReserves() external view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, 0);
    }

    function claim(uint112 a, uint112 b) external {
        require(msg.sender == owner);
        (reserve0, reserve1) = (a, b);
        emit Sync(a, b);
    }

    function swap(uint256 out0, uint256 out1, address to, bytes calldata) external {
        if (out0 > 0) NamedToken(token0).transfer(to, out0);
        if (out1 > 0) NamedToken(token1).transfer(to, out1);
    }
}
