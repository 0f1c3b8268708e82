// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Taxes transfers from one of its pools by 3 %, and transfers to that pool by 7 %. Other transfers are free.
contract PoolTaxed {
    address public constant TAXED_POOL = address(0x7a);
    address public constant FREE_POOL = address(0xf4);

    string public constant symbol = "PT";
    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor() {
        balanceOf[TAXED_POOL] = 1e24;
        balanceOf[FREE_POOL] = 1e24;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        uint256 percent = msg.sender == TAXED_POOL ? 3 : to == TAXED_POOL ? 7 : 0;
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount - amount * percent / 100;
        return true;
    }
}
