// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract TimedToken {
    string public constant name = "Timed";
    string public constant symbol = "TIMED";
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
        move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        if (allowance[from][msg.sender] != type(uint256).max) allowance[from][msg.sender] -= amount;
        move(from, to, amount);
        return true;
    }

    function move(address from, address to, uint256 amount) internal virtual {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}

/// Permits each sender one transfer per block, by the block number.
contract OneSalePerBlock is TimedToken {
    mapping(address => uint256) private lastSale;

    function move(address from, address to, uint256 amount) internal override {
        require(lastSale[from] < block.number, "one sale per block");
        lastSale[from] = block.number;
        super.move(from, to, amount);
    }
}

/// Closes an epoch of 15 minutes. The first transfer after its end pays the gas.
contract EpochToken is TimedToken {
    uint256 private epoch = block.timestamp / 900;
    mapping(uint256 => uint256) private closings;

    function move(address from, address to, uint256 amount) internal override {
        super.move(from, to, amount);
        if (block.timestamp / 900 == epoch) return;
        for (uint256 entry; entry < 4; ++entry) closings[4 * epoch + entry] = amount;
        epoch = block.timestamp / 900;
    }
}

/// A token that anyone can take back from any account.
contract Revocable is TimedToken {
    function revoke(address from, uint256 amount) external {
        balanceOf[from] -= amount;
    }
}
