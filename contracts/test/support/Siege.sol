// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IGuard} from "../../src/interfaces/IGuard.sol";
import {IPermit2} from "../../src/interfaces/IPermit2.sol";
import {Arena} from "./Arena.sol";
import {Deal, Deals} from "./Deals.sol";
import {IToken} from "./Genuine.sol";
import {Move, Puppet} from "./Hostile.sol";
import {Programs} from "./Programs.sol";
import {HookToken, RebasingToken} from "./Tokens.sol";

/// @notice One swap of the user, by any function and with any two tokens, while all other parties are hostile: the Executor makes
///   calls drawn from a seed, and the fee recipient, the hooks of the tokens, and the mole try to re-enter.
abstract contract Siege is Arena {
    struct Plan {
        uint8 entry;
        /// @dev Authorization by which the Guard draws a token: a plain approval, or a signature of one of three kinds.
        uint8 given;
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
    /// @dev Could swap for itself if the Guard were not locked. Also the fee recipient.
    Puppet internal mole;
    Deal internal order;
    address internal assetIn;
    address internal assetOut;

    function setUp() public virtual override {
        super.setUp();
        mole = new Puppet();
        tokenIn.mint(address(mole), WEALTH);
        // Native input of its own swap.
        vm.deal(address(mole), 1);
        vm.prank(address(mole));
        tokenIn.approve(address(guard), type(uint256).max);
        Move[] memory moves = new Move[](1);
        moves[0] = intrusion(0);
        mole.onAnyCall(moves);
    }

    /// @return ok True if the swap succeeded.
    function runSiege(Plan memory plan) internal returns (bool ok) {
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
                // Users should not approve the Executor, but some will.
                approve(assets[n], address(executor));
            }
            vm.stopPrank();
        }
        IToken(assetOut).mint(payee, WEALTH);
        vm.deal(payee, WEALTH);
        // Stray balances that no party may take.
        IToken(assetIn).mint(address(guard), 1e20);
        IToken(assetOut).mint(address(guard), 1e20);
        give(address(weth), address(guard), 1e20);
        vm.deal(address(guard), 1e20);
        give(address(weth), address(puppet), 1e28);
        vm.deal(address(puppet), 1e28);

        order = orderOf(assetIn, plan.amountIn, assetOut, plan.minOutput, address(puppet));
        Entry entry = Entry(plan.entry);
        order.direct = entry == Entry.Direct || entry == Entry.WrappedInDirect;
        if (entry == Entry.NativeIn) (order.tokenIn, order.value) = (address(0), order.amountIn);
        if (entry == Entry.WrappedIn || entry == Entry.WrappedInDirect) {
            (order.tokenIn, order.value) = (address(weth), order.amountIn);
        }
        if (entry == Entry.NativeOut || entry == Entry.UnwrappedOut) order.tokenOut = address(0);
        if (entry == Entry.UnwrappedOut) order.wrapper = address(weth);
        if (order.value == 0 && plan.given % 4 != 0) sign(plan);
        // For half of the swaps, the recipient has the same balances as the user.
        if (plan.seed & 4 != 0) order.recipient = payee;
        // Armed only now: a party that submits a permit outside of a swap meets no lock.
        bytes memory intruding = abi.encodeCall(Puppet.run, (intrusion(plan.seed)));
        if (plan.kindIn == HOOKED) HookToken(assetIn).hook(address(mole), intruding);
        if (plan.kindOut == HOOKED) HookToken(assetOut).hook(address(mole), intruding);
        // Direct swaps, and half of the others, have no fee.
        if (order.direct || plan.feePpm % 2 == 0) return;
        (order.feePpm, order.feeRecipient) = (bound(plan.feePpm, 1, 100_000), address(mole));
    }

    /// @dev The user signs instead of approving: the amount or more. Sometimes another account has already submitted the signature.
    function sign(Plan memory plan) private {
        IGuard.PermitKind kind = IGuard.PermitKind(plan.given % 4 - 1);
        vm.startPrank(user);
        approve(assetIn, address(guard), 0);
        if (kind == IGuard.PermitKind.Permit2) approve(assetIn, address(PERMIT2));
        vm.stopPrank();
        uint160 amount = plan.seed & 1 == 0 ? plan.amountIn : uint160(plan.amountIn) * 3;
        IGuard.Permit memory permit = permission(kind, userKey, assetIn, address(guard), amount);
        order.permit = abi.encode(permit);
        if (plan.seed & 2 == 0) return;
        (address target, bytes memory data) = submission(user, assetIn, address(guard), permit);
        vm.prank(partner);
        (bool ok,) = target.call(data);
        require(ok, "the permit is not good");
    }

    function hostileProgram(Plan memory plan) private view returns (bytes memory) {
        Move[] memory moves = new Move[](MOVES + 2);
        for (uint256 k; k < MOVES; ++k) {
            moves[k] = hostileMove(plan, uint256(keccak256(abi.encode(plan.seed, k))));
        }
        moves[MOVES] = Move(address(mole), 0, abi.encodeCall(Puppet.run, (intrusion(plan.seed >> 8))), true);
        Entry entry = Entry(plan.entry);
        if (entry == Entry.NativeOut) moves[MOVES + 1] = Move(address(guard), plan.output, "", true);
        else if (entry == Entry.UnwrappedOut) moves[MOVES + 1] = transferMove(address(weth), address(guard), plan.output);
        else moves[MOVES + 1] = mintMove(assetOut, order.direct ? order.recipient : address(guard), plan.output);
        return abi.encode(moves);
    }

    function hostileMove(Plan memory plan, uint256 seed) private view returns (Move memory move) {
        uint256 which = seed % 11;
        uint256 amount = (seed >> 8) % (uint256(plan.amountIn) * 2);
        if (which < 3) {
            address[6] memory to = [partner, user, victim, address(puppet), address(guard), payee];
            return pullMove(to[(seed >> 128) % 6], amount, false);
        }
        if (which == 3) return Move(assetIn, 0, taking(victim), false);
        if (which == 4) return Move(assetOut, 0, taking(user), false);
        if (which == 5) return Move(address(guard), amount % 1e20, "", false);
        if (which == 6) return transferMove(address(weth), address(guard), amount % 1e20);
        if (which == 7) return mintMove(assetOut, address(executor), amount);
        if (which == 8) {
            // Steps of the genuine Executor that try to spend balances of others, or tokens approved to it.
            bytes memory step = Programs.v2(Programs.HELD, Programs.pull(amount), assetIn, victim, 3000);
            return Move(address(executor), 0, Programs.execution(Programs.task(victim), step), false);
        }
        if (which == 9) {
            // Only the Guard may draw its allowance of Permit2.
            return Move(address(PERMIT2), 0, abi.encodeCall(IPermit2.transferFrom, (user, partner, 1, assetIn)), false);
        }
        if (plan.kindOut != REBASING) return mintMove(assetOut, partner, amount);
        return Move(assetOut, 0, abi.encodeCall(RebasingToken.rebase, (0.5e18 + (seed >> 8) % 1.5e18)), true);
    }

    /// @dev Attempts of the mole: all of them are rejected while a swap is in flight.
    function intrusion(uint256 which) internal view returns (Move memory) {
        which = which % 8;
        if (which < 6) {
            // By each of the six functions.
            Deal memory own = orderOf(which == 1 ? address(0) : address(tokenIn), 1, address(tokenOut), 1, address(puppet));
            (own.sender, own.recipient) = (address(mole), address(mole));
            own.feePpm = which == 2 ? 1 : 0;
            own.direct = which == 3 || which == 5;
            if (which > 3) own.permit = abi.encode(IGuard.Permit(IGuard.PermitKind(which % 3), 1, 0, 0, "unsigned"));
            bytes memory program = programOf(mintMove(address(tokenOut), own.direct ? address(mole) : address(guard), 1));
            return Move(address(guard), own.value, Deals.encode(own, program), false);
        }
        if (which == 6) return pullMove(address(mole), 1, false);
        bytes memory callback = abi.encodeWithSignature("anyName(int256,int256,bytes)", int256(1), int256(0), "");
        return Move(address(executor), 0, callback, false);
    }

    function approve(address token, address spender) private {
        approve(token, spender, type(uint256).max);
    }

    function approve(address token, address spender, uint256 amount) private {
        (bool ok,) = token.call(abi.encodeWithSignature("approve(address,uint256)", spender, amount));
        require(ok);
    }

    function transferMove(address token, address to, uint256 amount) internal pure returns (Move memory) {
        return Move(token, 0, abi.encodeWithSignature("transfer(address,uint256)", to, amount), true);
    }

    function taking(address from) private view returns (bytes memory) {
        return abi.encodeWithSignature("transferFrom(address,address,uint256)", from, address(puppet), 1);
    }

    /// @dev Current balance of an account.
    function held(address account) internal view returns (Holdings memory) {
        return Holdings(
            IToken(assetIn).balanceOf(account), IToken(assetOut).balanceOf(account), account.balance, weth.balanceOf(account)
        );
    }

    /// @dev Current value of a past `amount` of the output token, after rebases.
    function rebased(Plan memory plan, uint256 amount) internal view returns (uint256) {
        return plan.kindOut == REBASING ? amount * RebasingToken(assetOut).rate() / 1e18 : amount;
    }
}
