// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Charges the sender 5 % in addition to the transferred amount: 105 for 100.
contract Surcharging {
    uint256 public constant CHARGE_BPS = 500;
    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        return move(from, to, amount);
    }

    function move(address from, address to, uint256 amount) private returns (bool) {
        balanceOf[from] -= amount + amount * CHARGE_BPS / 10_000;
        balanceOf[to] += amount;
        return true;
    }
}
