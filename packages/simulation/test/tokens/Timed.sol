// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Base of tokens whose behavior depends on the block of a transaction.
contract TimedToken {
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
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        if (allowance[from][msg.sender] != type(uint256).max) allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
        return true;
    }

    function _move(address from, address to, uint256 amount) internal virtual {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}

/// Permits each sender one transfer per block, by block number.
contract OneTradePerBlock is TimedToken {
    mapping(address => uint256) public lastTrade;

    function _move(address from, address to, uint256 amount) internal override {
        require(lastTrade[from] < block.number, "one trade per block");
        lastTrade[from] = block.number;
        super._move(from, to, amount);
    }
}

/// Permits one transfer of all accounts per timestamp.
contract Cooldown is TimedToken {
    uint256 public lastTrade;

    function _move(address from, address to, uint256 amount) internal override {
        require(block.timestamp > lastTrade, "cooldown");
        lastTrade = block.timestamp;
        super._move(from, to, amount);
    }
}

/// Writes a checkpoint of the vote supply for each block, like ERC20Votes. The second write in a block is cheap.
contract Checkpointed is TimedToken {
    struct Checkpoint {
        uint48 number;
        uint208 votes;
    }

    Checkpoint[] public checkpoints;

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, amount);
        uint256 count = checkpoints.length;
        if (count != 0 && checkpoints[count - 1].number == block.number) checkpoints[count - 1].votes += 1;
        else checkpoints.push(Checkpoint(uint48(block.number), uint208(amount)));
    }
}

/// Takes the token, and returns the block of the call.
contract Clock {
    function swap(TimedToken token, uint256 amount) external returns (uint256, uint256, uint256) {
        token.transferFrom(msg.sender, address(this), amount);
        return (block.number, block.timestamp, block.basefee);
    }
}
