// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Arena} from "./Arena.sol";
import {Deal, Deals} from "./Deals.sol";
import {IToken} from "./Genuine.sol";
import {Move, Puppet} from "./Hostile.sol";
import {Programs} from "./Programs.sol";
import {HookToken, RebasingToken} from "./Tokens.sol";

/// @notice One swap of the user, by any entry and with any two tokens, where everybody else is hostile: the Executor makes
///   moves drawn from a seed, and the fee recipient, the hooks of the tokens and the mole try to re-enter.
abstract contract Siege is Arena {
    struct Plan {
        uint8 entry;
        uint8 kindIn;
        uint8 kindOut;
        uint96 amountIn;
        uint96 output;
        uint96 minOutput;
        uint24 feePpm;
        uint256 seed;
    }

    struct Holdings {
        uint256 input;
        uint256 output;
        uint256 native;
        uint256 wrapped;
    }

    enum Entry {
        Custody,
        Direct,
        NativeIn,
        WrappedIn,
        WrappedInDirect,
        NativeOut,
        UnwrappedOut
    }

    uint256 internal constant MOVES = 5;

    /// @dev Approves Guard and Executor, and never swaps.
    address internal victim = makeAddr("victim");
    /// @dev Could swap for itself were the Guard not locked. Also the fee recipient.
    Puppet internal mole;
    Deal internal order;
    address internal assetIn;
    address internal assetOut;

    function setUp() public virtual override {
        super.setUp();
        mole = new Puppet();
        tokenIn.mint(address(mole), WEALTH);
        // What its own swap of native takes.
        vm.deal(address(mole), 1);
        vm.prank(address(mole));
        tokenIn.approve(address(guard), type(uint256).max);
        Move[] memory moves = new Move[](1);
        moves[0] = intrusion(0);
        mole.onAnyCall(moves);
    }

    /// @return ok Whether the swap went through.
    function besiege(Plan memory plan) internal returns (bool ok) {
        prepare(plan);
        bytes memory program = hostileProgram(plan);
        ok = trySwap(order, program);
    }

    function prepare(Plan memory plan) private {
        plan.entry = plan.entry % 7;
        (plan.kindIn, plan.kindOut) = (plan.kindIn % KINDS, plan.kindOut % KINDS);
        plan.amountIn = uint96(bound(plan.amountIn, 1, 1e27));
        plan.output = uint96(bound(plan.output, 1, 1e27));
        plan.minOutput = uint96(bound(plan.minOutput, 1, plan.output));
        (assetIn, assetOut) = (tokenOfKind(plan.kindIn), tokenOfKind(plan.kindOut));
        address[2] memory owners = [user, victim];
        for (uint256 k; k < 2; ++k) {
            vm.deal(owners[k], WEALTH);
            vm.startPrank(owners[k]);
            address[3] memory assets = [assetIn, assetOut, address(weth)];
            for (uint256 n; n < 3; ++n) {
                if (n < 2) IToken(assets[n]).mint(owners[k], WEALTH);
                approve(assets[n], address(guard));
                // Nobody should, and some will.
                approve(assets[n], address(executor));
            }
            vm.stopPrank();
        }
        // Strays that are nobody's to take.
        IToken(assetIn).mint(address(guard), 1e20);
        IToken(assetOut).mint(address(guard), 1e20);
        give(address(weth), address(guard), 1e20);
        vm.deal(address(guard), 1e20);
        give(address(weth), address(puppet), 1e28);
        vm.deal(address(puppet), 1e28);
        if (plan.kindIn == HOOKED) HookToken(assetIn).hook(address(mole), abi.encodeCall(Puppet.run, (intrusion(plan.seed))));
        if (plan.kindOut == HOOKED) HookToken(assetOut).hook(address(mole), abi.encodeCall(Puppet.run, (intrusion(plan.seed))));

        order = orderOf(assetIn, plan.amountIn, assetOut, plan.minOutput, address(puppet));
        Entry entry = Entry(plan.entry);
        order.direct = entry == Entry.Direct || entry == Entry.WrappedInDirect;
        if (entry == Entry.NativeIn) (order.tokenIn, order.value) = (address(0), order.amountIn);
        if (entry == Entry.WrappedIn || entry == Entry.WrappedInDirect) {
            (order.tokenIn, order.value) = (address(weth), order.amountIn);
        }
        if (entry == Entry.NativeOut || entry == Entry.UnwrappedOut) order.tokenOut = address(0);
        if (entry == Entry.UnwrappedOut) order.wrapper = address(weth);
        // Every other swap without a fee: those by the functions that know none.
        if (order.direct || plan.feePpm % 2 == 0) return;
        (order.feePpm, order.feeRecipient) = (bound(plan.feePpm, 1, 100_000), address(mole));
    }

    function hostileProgram(Plan memory plan) private view returns (bytes memory) {
        Move[] memory moves = new Move[](MOVES + 2);
        for (uint256 k; k < MOVES; ++k) {
            moves[k] = hostileMove(plan, uint256(keccak256(abi.encode(plan.seed, k))));
        }
        moves[MOVES] = Move(address(mole), 0, abi.encodeCall(Puppet.run, (intrusion(plan.seed >> 8))), true);
        Entry entry = Entry(plan.entry);
        if (entry == Entry.NativeOut) moves[MOVES + 1] = Move(address(guard), plan.output, "", true);
        else if (entry == Entry.UnwrappedOut) moves[MOVES + 1] = sending(address(weth), address(guard), plan.output);
        else moves[MOVES + 1] = minting(assetOut, order.direct ? user : address(guard), plan.output);
        return abi.encode(moves);
    }

    function hostileMove(Plan memory plan, uint256 seed) private view returns (Move memory move) {
        uint256 which = seed % 10;
        uint256 amount = (seed >> 8) % (uint256(plan.amountIn) * 2);
        if (which < 3) {
            address[5] memory to = [partner, user, victim, address(puppet), address(guard)];
            return pulling(to[(seed >> 128) % 5], amount, false);
        }
        if (which == 3) return Move(assetIn, 0, taking(victim), false);
        if (which == 4) return Move(assetOut, 0, taking(user), false);
        if (which == 5) return Move(address(guard), amount % 1e20, "", false);
        if (which == 6) return sending(address(weth), address(guard), amount % 1e20);
        if (which == 7) return minting(assetOut, address(executor), amount);
        if (which == 8) {
            // Steps of the genuine Executor that would spend what others hold, or approved to it.
            bytes memory step = Programs.v2(Programs.HELD, Programs.pull(amount), assetIn, victim, 3000);
            return Move(address(executor), 0, Programs.execution(Programs.task(victim), step), false);
        }
        if (plan.kindOut != REBASING) return minting(assetOut, partner, amount);
        return Move(assetOut, 0, abi.encodeCall(RebasingToken.rebase, (0.5e18 + (seed >> 8) % 1.5e18)), true);
    }

    /// @dev What the mole tries: all of it is refused while a swap is in flight.
    function intrusion(uint256 which) internal view returns (Move memory) {
        which = which % 6;
        if (which < 4) {
            // By each of the four functions.
            Deal memory own = orderOf(which == 1 ? address(0) : address(tokenIn), 1, address(tokenOut), 1, address(puppet));
            own.feePpm = which == 2 ? 1 : 0;
            own.direct = which == 3;
            bytes memory program = one(minting(address(tokenOut), own.direct ? address(mole) : address(guard), 1));
            return Move(address(guard), own.value, Deals.encode(own, program), false);
        }
        if (which == 4) return pulling(address(mole), 1, false);
        bytes memory callback = abi.encodeWithSignature("anyName(int256,int256,bytes)", int256(1), int256(0), "");
        return Move(address(executor), 0, callback, false);
    }

    function approve(address token, address spender) private {
        (bool ok,) = token.call(abi.encodeWithSignature("approve(address,uint256)", spender, type(uint256).max));
        require(ok);
    }

    function sending(address token, address to, uint256 amount) internal pure returns (Move memory) {
        return Move(token, 0, abi.encodeWithSignature("transfer(address,uint256)", to, amount), true);
    }

    function taking(address from) private view returns (bytes memory) {
        return abi.encodeWithSignature("transferFrom(address,address,uint256)", from, address(puppet), 1);
    }

    /// @dev What an account holds now.
    function held(address account) internal view returns (Holdings memory) {
        return Holdings(
            IToken(assetIn).balanceOf(account), IToken(assetOut).balanceOf(account), account.balance, weth.balanceOf(account)
        );
    }

    /// @dev What `amount` of the output token has become by rebases since.
    function rebased(Plan memory plan, uint256 amount) internal view returns (uint256) {
        return plan.kindOut == REBASING ? amount * RebasingToken(assetOut).rate() / 1e18 : amount;
    }
}
