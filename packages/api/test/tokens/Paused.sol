// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Code that a test sets at the local chain's USDT to pause it. Balances are in the same slots, and transfers revert.
contract PausedToken {
    string public name;
    string public symbol;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;

    error Paused();

    function decimals() external pure returns (uint8) {
        return 6;
    }

    function approve(address spender, uint256 amount) external {
        allowance[msg.sender][spender] = amount;
    }

    function transfer(address, uint256) external pure {
        revert Paused();
    }

    function transferFrom(address, address, uint256) external pure {
        revert Paused();
    }
}
