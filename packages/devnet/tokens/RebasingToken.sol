// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Balances are shares of a pooled amount and grow with it. A transfer moves whole shares, so the receiver may get a
/// few base units less than was sent.
contract RebasingToken {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    uint256 public totalShares;
    /// Base units that all shares are worth.
    uint256 public totalSupply;
    mapping(address => uint256) public sharesOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);
    event Rebase(uint256 totalSupply, uint256 totalShares);

    error InsufficientShares(uint256 shares, uint256 needed);
    error InsufficientAllowance(uint256 allowance, uint256 needed);

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
    }

    function balanceOf(address owner) public view returns (uint256) {
        return amountFor(sharesOf[owner]);
    }

    function amountFor(uint256 shares) public view returns (uint256) {
        return totalShares == 0 ? 0 : (shares * totalSupply) / totalShares;
    }

    function sharesFor(uint256 amount) public view returns (uint256) {
        return totalShares == 0 ? amount : (amount * totalShares) / totalSupply;
    }

    function mint(address to, uint256 amount) external {
        uint256 shares = sharesFor(amount);
        totalShares += shares;
        totalSupply += amount;
        sharesOf[to] += shares;
        emit Transfer(address(0), to, amount);
    }

    /// Changes all balances by a number of parts per million. A negative number lowers them.
    function rebase(int256 ppm) external {
        totalSupply = (totalSupply * uint256(1_000_000 + ppm)) / 1_000_000;
        emit Rebase(totalSupply, totalShares);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < amount) revert InsufficientAllowance(allowed, amount);
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        move(from, to, amount);
        return true;
    }

    function move(address from, address to, uint256 amount) private {
        uint256 shares = sharesFor(amount);
        if (sharesOf[from] < shares) revert InsufficientShares(sharesOf[from], shares);
        sharesOf[from] -= shares;
        sharesOf[to] += shares;
        emit Transfer(from, to, amount);
    }
}
