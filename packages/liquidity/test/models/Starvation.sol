// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Uses up the gas of a batch of reads, and succeeds.
contract Greedy {
    /// Returns when at most `left` gas is left.
    function spend(uint256 left) external view returns (bool) {
        while (gasleft() > left) {}
        return true;
    }
}

/// Returns after it has used a given amount of gas in the innermost of several nested calls.
contract Nested {
    function answer(uint256 depth, uint256 spent) external view returns (bool) {
        if (depth != 0) return this.answer(depth - 1, spent);
        uint256 start = gasleft();
        while (start - gasleft() < spent) {}
        return true;
    }
}

/// A pool for the lens of caller-fee-v3 that trades at par. A swap takes 400,000 gas.
contract ExpensivePool {
    function slot0() external pure returns (uint160, int24) {
        return (1 << 96, 0);
    }

    function liquidity() external pure returns (uint128) {
        return 1;
    }

    function swap(address, bool zeroForOne, int256 amount, uint160, bytes calldata) external {
        uint256 start = gasleft();
        while (start - gasleft() < 400_000) {}
        (int256 amount0, int256 amount1) = zeroForOne ? (amount, -amount) : (-amount, amount);
        (, bytes memory result) =
            msg.sender.call(abi.encodeWithSignature("poolCallback(int256,int256,bytes)", amount0, amount1, ""));
        assembly ("memory-safe") {
            revert(add(result, 0x20), mload(result))
        }
    }
}

/// A token whose `balanceOf` reverts for one account.
contract SecretiveCoin {
    address private hidden;

    function hide(address account) external {
        hidden = account;
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function balanceOf(address account) external view returns (uint256) {
        require(account != hidden);
        return 0;
    }
}
