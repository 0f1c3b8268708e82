// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../../src/interfaces/IExecutor.sol";
import {IGuard} from "../../src/interfaces/IGuard.sol";
import {Arena} from "../support/Arena.sol";
import {Deal, Deals} from "../support/Deals.sol";
import {IToken} from "../support/Genuine.sol";

/// @notice Sends, draws, and executes swaps of others, as scripted. Gets the calls during its own executions from the test.
contract Party {
    ModelInvariants internal immutable MODEL = ModelInvariants(msg.sender);

    receive() external payable {}

    function make(address target, uint256 value, bytes calldata data) external returns (bool ok) {
        (ok,) = target.call{value: value}(data);
    }

    function execute(IExecutor.Task calldata task) external payable {
        MODEL.deliver(task.recipient);
        MODEL.play();
    }
}

/// @notice Invariants 6 and 7 on a small model: lock and loan as a state machine, with every sequence of the Guard's calls by three
///   parties, generated in order.
/// @dev A reverted call changes no state in the EVM, so later calls behave as if it had not been made. So sequences consist of calls
///   that the model accepts. At the end of each sequence, which is every reachable state, each party tries each call, and only calls
///   that the model accepts may succeed. The parties are symmetric, so party 0 always swaps first.
contract ModelInvariants is Arena {
    // Calls: a swap by party 0 to 2, executed by the next one; the Executor in flight draws 0 to 2; party 0 to 2 sends native token.
    uint8 internal constant SWAP = 0;
    uint8 internal constant PULL = 3;
    uint8 internal constant SEND = 6;
    /// @dev The Executor returns; not a call of the Guard.
    uint8 internal constant DONE = 9;

    uint256 internal constant LENT = 2;
    uint256 internal constant ENTRIES = 6;

    Party[3] internal parties;
    uint8[16] internal script;
    uint256 internal length;
    uint256 internal at;
    /// @dev Which of the six functions the first swap uses; each later swap uses the next one.
    uint256 internal entry;
    uint256 public sequences;

    // State of the model: idle, or a swap of `sender` in flight with `left` still lent.
    bool internal inFlight;
    uint256 internal sender;
    uint256 internal left;

    function setUp() public override {
        super.setUp();
        for (uint256 p; p < 3; ++p) {
            parties[p] = new Party();
            tokenIn.mint(address(parties[p]), WEALTH);
            vm.deal(address(parties[p]), WEALTH);
            vm.startPrank(address(parties[p]));
            tokenIn.approve(address(guard), type(uint256).max);
            tokenIn.approve(address(PERMIT2), type(uint256).max);
            PERMIT2.approve(address(tokenIn), address(guard), type(uint160).max, type(uint48).max);
            vm.stopPrank();
        }
    }

    function test_I07_lock_and_loan_do_what_the_model_does_in_every_sequence_of_calls() public {
        // Six calls in the long profile, for one of the six functions at a time if MODEL_ENTRY is set.
        uint256 depth = vm.envOr("MODEL_CALLS", uint256(vm.envOr("LONG", false) ? 6 : 4));
        uint256 only = vm.envOr("MODEL_ENTRY", ENTRIES);
        for (entry = 0; entry < ENTRIES; ++entry) {
            if (only == ENTRIES || only == entry) explore(0, depth, 0, false, 0);
        }
        assertGt(sequences, 0);
        emit log_named_uint("sequences", sequences);
    }

    /// @dev Plays the script, then every next call that the model allows.
    function explore(uint256 written, uint256 calls, uint256 swaps, bool flying, uint256 rest) private {
        length = written;
        run();
        if (flying) {
            // The swap has ended, and the Guard is idle again.
            script[written] = DONE;
            explore(written + 1, calls, swaps, false, 0);
            if (calls == 0) return;
            for (uint8 amount; amount <= rest; ++amount) {
                script[written] = PULL + amount;
                explore(written + 1, calls - 1, swaps, true, rest - amount);
            }
            for (uint8 p; p < 3; ++p) {
                script[written] = SEND + p;
                explore(written + 1, calls - 1, swaps, true, rest);
            }
        } else if (calls != 0) {
            for (uint8 p; p < (swaps == 0 ? 1 : 3); ++p) {
                script[written] = SWAP + p;
                explore(written + 1, calls - 1, swaps + 1, true, LENT);
            }
        }
    }

    function run() private {
        (at, inFlight, left) = (0, false, 0);
        ++sequences;
        if (length == 0) attemptAll();
        while (at < length) this.play();
    }

    /// @dev Outside of a swap, the next call; during one, all calls up to its end.
    function play() external {
        if (!inFlight) {
            swapBy(script[at++]);
            return;
        }
        if (at == length) return attemptAll();
        while (at < length) {
            uint8 call = script[at++];
            if (call == DONE) return;
            bool ok;
            if (call < SEND) {
                uint256 amount = call - PULL;
                ok = parties[(sender + 1) % 3].make(address(guard), 0, pulled(amount));
                left -= amount;
            } else {
                ok = parties[call - SEND].make(address(guard), 1, "");
            }
            assertTrue(ok, "what the model accepts was refused");
            assertEq(guard.remaining(), left);
        }
        // The sequence ends while the swap is in flight.
        attemptAll();
    }

    function swapBy(uint256 p) private {
        (inFlight, sender, left) = (true, p, LENT);
        (Deal memory deal, bytes memory data) = swapOf(p, entry + at);
        // Drawn tokens go to the partner, for every input of the sender.
        uint256 drawn = IToken(deal.tokenIn).balanceOf(partner);
        bool ok = parties[p].make(address(guard), deal.value, data);
        assertTrue(ok, "a swap was refused");
        assertEq(IToken(deal.tokenIn).balanceOf(partner) - drawn, LENT - left);
        (inFlight, left) = (false, 0);
        assertEq(guard.remaining(), 0);
        if (at == length && script[at - 1] == DONE) attemptAll();
    }

    function deliver(address recipient) external {
        tokenOut.mint(recipient, 10);
    }

    /// @dev Each party tries each call. During a swap the Executor may draw the rest and anyone may send native token; else only swap.
    function attemptAll() private {
        for (uint256 p; p < 3; ++p) {
            bool runs = inFlight && p == (sender + 1) % 3;
            for (uint256 amount; amount <= LENT + 1; ++amount) {
                attempt(p, 0, pulled(amount), runs && amount <= left);
            }
            attempt(p, 0, "", inFlight);
            if (!inFlight) continue;
            for (uint256 which; which < ENTRIES; ++which) {
                (Deal memory deal, bytes memory data) = swapOf(p, which);
                attempt(p, deal.value, data, false);
            }
        }
    }

    function attempt(uint256 p, uint256 value, bytes memory data, bool expected) private {
        // In a frame that is reverted, so that the attempt does not change the state.
        try this.tryCall(p, value, data) {
            fail();
        } catch (bytes memory answer) {
            assertEq(abi.decode(answer, (bool)), expected, expected ? "refused" : "accepted");
        }
    }

    function tryCall(uint256 p, uint256 value, bytes memory data) external {
        bool ok = parties[p].make(address(guard), value, data);
        assembly ("memory-safe") {
            mstore(0x00, ok)
            revert(0x00, 0x20)
        }
    }

    function pulled(uint256 amount) private view returns (bytes memory) {
        return abi.encodeCall(IGuard.pullInput, (partner, amount));
    }

    /// @dev The same order by each of the six functions.
    function swapOf(uint256 p, uint256 which) private view returns (Deal memory deal, bytes memory data) {
        which = which % ENTRIES;
        deal = orderOf(address(tokenIn), LENT, address(tokenOut), 1, address(parties[(p + 1) % 3]));
        (deal.sender, deal.recipient) = (address(parties[p]), address(parties[p]));
        if (which == 1) (deal.tokenIn, deal.value) = (address(weth), LENT);
        if (which == 2) (deal.feePpm, deal.feeRecipient) = (100_000, partner);
        deal.direct = which == 3 || which == 5;
        // Allowances that were given before.
        IGuard.PermitKind kind = which == 4 ? IGuard.PermitKind.Permit2 : IGuard.PermitKind.Eip2612;
        if (which > 3) deal.permit = abi.encode(IGuard.Permit(kind, 0, 0, 0, ""));
        data = Deals.encode(deal, "");
    }
}
