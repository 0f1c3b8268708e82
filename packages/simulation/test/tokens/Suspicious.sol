// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Rejects transfers from accounts with code.
contract SuspiciousToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        require(from.code.length == 0, "no contracts");
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

/// Takes tokens and pays as many wei. The payment is in a call of the contract to itself.
contract Exchange {
    constructor() payable {}

    function swap(SuspiciousToken token, uint256 amount) external {
        token.transferFrom(msg.sender, address(this), amount);
        this.pay(payable(msg.sender), amount);
    }

    function pay(address payable to, uint256 amount) external {
        require(msg.sender == address(this));
        (bool ok,) = to.call{value: amount}("");
        require(ok);
    }
}
