// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// The local chain's USDT while its issuer pauses it: balances are answered from the same slots, and no transfer works.
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
