// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Stores balances by the number of the holder. So the slot of a balance does not follow from the holder's address.
contract NumberedToken {
    mapping(address => uint256) private numbers;
    mapping(uint256 => uint256) private balances;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 private holders;

    constructor() {
        balances[_number(msg.sender)] = 1e24;
    }

    function balanceOf(address holder) external view returns (uint256) {
        return numbers[holder] == 0 ? 0 : balances[numbers[holder]];
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

    function _move(address from, address to, uint256 amount) private returns (bool) {
        balances[_number(from)] -= amount;
        balances[_number(to)] += amount;
        return true;
    }

    function _number(address holder) private returns (uint256) {
        if (numbers[holder] == 0) numbers[holder] = ++holders;
        return numbers[holder];
    }
}

/// Takes an amount, and returns a tenth of it.
contract Tenth {
    function swap(NumberedToken token, uint256 amount) external {
        token.transferFrom(msg.sender, address(this), amount);
        token.transfer(msg.sender, amount / 10);
    }
}
