// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IGuard} from "../../src/interfaces/IGuard.sol";
import {Arena} from "../support/Arena.sol";
import {Deal, Deals} from "../support/Deals.sol";

/// @notice An output token that returns arbitrary balances, and calls the Guard when it is transferred.
/// @dev `balanceOf` runs in a static call and cannot store a counter. Each call warms one of a row of addresses; the number of warm
///   addresses is the number of calls.
contract LyingToken {
    uint256[4] internal answers;
    uint160 internal row;
    address internal target;
    bytes internal data;
    bool public reached;
    bool public entered;
    bytes public answer;

    constructor(uint160 row_, uint256[4] memory answers_) {
        (row, answers) = (row_, answers_);
    }

    function intrude(address target_, bytes calldata data_) external {
        (target, data) = (target_, data_);
    }

    function balanceOf(address) external view returns (uint256) {
        for (uint256 k; k < 4; ++k) {
            address counter = address(row + uint160(k));
            uint256 cost;
            assembly {
                let before := gas()
                pop(staticcall(0, counter, 0, 0, 0, 0))
                cost := sub(before, gas())
            }
            // A cold account costs 2,600, a warm one 100.
            if (cost > 2_000) return answers[k];
        }
        revert("called too often");
    }

    function transfer(address, uint256) external returns (bool) {
        reached = true;
        (entered, answer) = target.call(data);
        return true;
    }
}

/// @notice Invariant 7: the word that locks the Guard is nonzero for all participants and addresses.
contract LockInvariants is Arena {
    /// @dev Addresses whose words could become zero: zero, all ones, their lower 96 or upper 64 bits all zero or all ones.
    function extreme(uint8 which, address any) private pure returns (address) {
        uint160 word = uint160(any);
        uint160 low = type(uint96).max;
        which = which % 7;
        if (which == 0) return address(0);
        if (which == 1) return address(type(uint160).max);
        if (which == 2) return address(word & ~low);
        if (which == 3) return address(word | low);
        if (which == 4) return address(word & low);
        if (which == 5) return address(word | ~low);
        return any;
    }

    function testFuzz_I07_the_lock_is_closed_for_every_accepted_order(
        uint8[3] calldata which,
        address[3] calldata any,
        uint256 amountIn,
        uint8 intrusion,
        uint160 row
    ) public {
        address executor_ = extreme(which[0], any[0]);
        address asset = extreme(which[1], any[1]);
        address sender = extreme(which[2], any[2]);
        vm.assume(asset != address(0) && asset != executor_ && amountIn != 0);
        vm.assume(executor_.code.length == 0 && asset.code.length == 0 && sender.code.length == 0);
        // Excludes precompiles, which may fail, and the contracts of the test framework.
        vm.assume(uint160(executor_) > 0x1000 || executor_ == address(0));
        vm.assume(executor_ != address(vm) && asset != address(vm) && sender != address(vm));
        // Balances of the Guard, then of the sender: zero before, nonzero after.
        LyingToken lying = new LyingToken(row >> 8 | 1 << 156, [uint256(0), 1, 0, 1]);
        intrusion = intrusion % 4;
        Deal memory own = orderOf(1, 1);
        own.direct = intrusion == 1;
        bytes memory delivery = programOf(mintMove(address(tokenOut), own.direct ? address(lying) : address(guard), 1));
        bytes memory data = Deals.encode(own, delivery);
        // The Guard accepts native token only while it is locked.
        if (intrusion == 2) data = "";
        if (intrusion == 3) data = abi.encodeCall(IGuard.pullInput, (partner, 0));
        lying.intrude(address(guard), data);

        Deal memory order = orderOf(asset, amountIn, address(lying), 1, executor_);
        vm.prank(sender);
        Deals.send(order, address(guard), "");
        assertTrue(lying.reached(), "the token was not called");
        assertEq(lying.entered(), intrusion == 2);
        bytes memory refusal = intrusion == 3
            ? abi.encodeWithSelector(IGuard.NotExecutor.selector, address(lying))
            : abi.encodeWithSelector(IGuard.Reentrancy.selector);
        if (intrusion != 2) assertEq(lying.answer(), refusal);
        assertIdle();
    }
}
