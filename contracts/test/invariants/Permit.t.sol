// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {VmSafe} from "forge-std/Vm.sol";
import {IDaiPermit} from "../../src/interfaces/IDaiPermit.sol";
import {IERC2612} from "../../src/interfaces/IERC2612.sol";
import {IGuard} from "../../src/interfaces/IGuard.sol";
import {IPermit2} from "../../src/interfaces/IPermit2.sol";
import {Arena} from "../support/Arena.sol";
import {Deal, Deals} from "../support/Deals.sol";
import {IToken} from "../support/Genuine.sol";
import {Move} from "../support/Hostile.sol";
import {HookToken, Token} from "../support/Tokens.sol";

/// @notice Returns nothing for every call, like WETH9: a permit seems to succeed.
contract PhantomToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    fallback() external payable {}

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

/// @notice Invariants 1, 2, 6, 7, 12, and 13 if a signature authorizes the draw. Siege.t.sol has the other invariants with permits.
contract PermitInvariants is Arena {
    address internal victim;
    uint256 internal victimKey;

    function setUp() public override {
        super.setUp();
        (victim, victimKey) = makeAddrAndKey("victim");
        tokenIn.mint(victim, WEALTH);
        // The signer has approved only Permit2.
        vm.prank(user);
        tokenIn.approve(address(guard), 0);
        address[2] memory owners = [user, victim];
        for (uint256 k; k < 2; ++k) {
            vm.prank(owners[k]);
            tokenIn.approve(address(PERMIT2), type(uint256).max);
        }
    }

    function kindOf(uint8 kind) private pure returns (IGuard.PermitKind) {
        return IGuard.PermitKind(kind % 3);
    }

    function signed(uint8 kind, uint256 amountIn, uint160 permitted) private view returns (Deal memory order) {
        order = orderOf(amountIn, 1);
        order.permit = abi.encode(permission(kindOf(kind), userKey, address(tokenIn), address(guard), permitted));
    }

    function program(uint256 pulled) private view returns (bytes memory) {
        return programOf(pullMove(partner, pulled, true), mintMove(address(tokenOut), address(guard), 1));
    }

    function testFuzz_I01_a_signature_serves_nobody_but_its_owner(
        uint8 kind,
        uint96 amount,
        address thief,
        bool direct,
        bool submitted
    ) public {
        vm.assume(thief != victim && thief != address(0) && thief.code.length == 0 && thief != address(vm));
        amount = uint96(bound(amount, 1, 1e27));
        IGuard.Permit memory stolen = permission(kindOf(kind), victimKey, address(tokenIn), address(guard), amount);
        if (submitted) {
            (address target, bytes memory data) = submission(victim, address(tokenIn), address(guard), stolen);
            vm.prank(thief);
            (bool taken,) = target.call(data);
            assertTrue(taken);
        }
        Deal memory order = orderOf(amount, 1);
        (order.permit, order.direct) = (abi.encode(stolen), direct);
        Move memory delivery = mintMove(address(tokenOut), direct ? thief : address(guard), 1);
        vm.prank(thief);
        (bool ok,) = address(guard).call(Deals.encode(order, programOf(pullMove(thief, 1, true), delivery)));
        assertFalse(ok, "somebody was drawn from");
        assertEq(tokenIn.balanceOf(victim), WEALTH);
        assertIdle();
    }

    function testFuzz_I02_what_is_permitted_beyond_the_amount_stays_with_the_sender(
        uint8 kind,
        uint96 amountIn,
        uint160 permitted,
        uint96[3] calldata pulls
    ) public {
        amountIn = uint96(bound(amountIn, 1, 1e27));
        permitted = uint160(bound(permitted, amountIn, type(uint160).max));
        Move[] memory moves = new Move[](6);
        for (uint256 k; k < 3; ++k) moves[k] = pullMove(partner, pulls[k], false);
        moves[3] = pullMove(partner, uint256(amountIn) + 1, false);
        moves[4] =
            Move(address(PERMIT2), 0, abi.encodeCall(IPermit2.transferFrom, (user, partner, 1, address(tokenIn))), false);
        moves[5] = mintMove(address(tokenOut), address(guard), 1);
        assertTrue(trySwap(signed(kind, amountIn, permitted), abi.encode(moves)));
        assertGe(tokenIn.balanceOf(user), WEALTH - amountIn);
        assertEq(tokenIn.balanceOf(user) + tokenIn.balanceOf(partner), WEALTH);
        assertEq(tokenOut.balanceOf(user), WEALTH + 1);
        assertIdle();
    }

    function testFuzz_I02_a_permit_that_somebody_used_before_stops_nothing(uint8 kind, uint96 amountIn, uint96 pulled) public {
        amountIn = uint96(bound(amountIn, 1, 1e27));
        pulled = uint96(bound(pulled, 0, amountIn));
        Deal memory order = signed(kind, amountIn, amountIn);
        IGuard.Permit memory permit = abi.decode(order.permit, (IGuard.Permit));
        (address target, bytes memory data) = submission(user, address(tokenIn), address(guard), permit);
        vm.prank(partner);
        (bool taken,) = target.call(data);
        assertTrue(taken);
        swap(order, program(pulled));
        assertEq(tokenIn.balanceOf(user), WEALTH - pulled);
        assertIdle();
    }

    function testFuzz_I02_an_approval_is_enough_without_a_signature(uint8 kind, uint96 amountIn, bytes calldata junk) public {
        amountIn = uint96(bound(amountIn, 1, 1e27));
        vm.startPrank(user);
        if (kindOf(kind) == IGuard.PermitKind.Permit2) {
            PERMIT2.approve(address(tokenIn), address(guard), amountIn, type(uint48).max);
        } else {
            tokenIn.approve(address(guard), amountIn);
        }
        vm.stopPrank();
        Deal memory order = orderOf(amountIn, 1);
        // An empty or random signature, which no account made.
        bytes memory signature = junk.length % 2 == 0 ? bytes("") : junk;
        order.permit = abi.encode(IGuard.Permit(kindOf(kind), amountIn, 0, block.timestamp, signature));
        swap(order, program(amountIn));
        assertEq(tokenIn.balanceOf(user), WEALTH - amountIn);
    }

    function testFuzz_I06_nothing_is_drawn_that_was_not_permitted(
        uint8 kind,
        uint96 amountIn,
        uint8 flaw,
        uint256 other
    ) public {
        amountIn = uint96(bound(amountIn, 1, 1e27));
        IGuard.Permit memory permit =
            permission(kindOf(kind), userKey, address(tokenIn), address(guard), amountIn);
        flaw = flaw % 5;
        bool dai = kindOf(kind) == IGuard.PermitKind.Dai;
        if (flaw == 0) permit = permission(kindOf(kind), victimKey, address(tokenIn), address(guard), amountIn);
        if (flaw == 1) permit = permission(kindOf(kind), userKey, address(tokenIn), partner, amountIn);
        if (flaw == 2) permit = permission(kindOf(kind), userKey, address(tokenOut), address(guard), amountIn);
        // Another amount than the signed one, except for DAI, whose permits have no amount; or another deadline.
        if (flaw == 3 && !dai) permit.amount = bound(other, 0, type(uint160).max - 1);
        if (flaw == 3 && permit.amount == amountIn) permit.amount += 1;
        if (flaw == 4 || (flaw == 3 && dai)) permit.deadline += bound(other, 1, type(uint32).max);
        if (flaw == 2 && kindOf(kind) == IGuard.PermitKind.Permit2 && address(tokenIn) == address(tokenOut)) return;
        Deal memory order = orderOf(amountIn, 1);
        order.permit = abi.encode(permit);
        assertFalse(trySwap(order, program(1)));
        assertEq(tokenIn.balanceOf(user), WEALTH);
        assertIdle();
    }

    function testFuzz_I06_permit2_is_told_the_whole_amount(uint256 amountIn) public {
        amountIn = bound(amountIn, uint256(1) << 160, type(uint256).max - 1);
        Deal memory order = signed(uint8(IGuard.PermitKind.Permit2), amountIn, type(uint160).max);
        // An amount of more than 160 bits, whose lower bits are a small amount, moves nothing.
        assertFalse(trySwap(order, program(amountIn)));
        assertEq(tokenIn.balanceOf(user), WEALTH);
    }

    function testFuzz_I06_a_chain_without_permit2_draws_nothing_through_it(uint96 amountIn) public {
        amountIn = uint96(bound(amountIn, 1, 1e27));
        Deal memory order = signed(uint8(IGuard.PermitKind.Permit2), amountIn, amountIn);
        vm.etch(address(PERMIT2), "");
        vm.expectRevert(
            abi.encodeWithSelector(IGuard.TransferFailed.selector, address(tokenIn), partner, uint256(amountIn))
        );
        swap(order, program(amountIn));
    }

    /// @dev A token that accepts every call, like WETH9: the Guard draws only what the owner approved, and from no other account.
    function testFuzz_I01_a_permit_that_does_nothing_draws_from_nobody(uint8 kind, uint96 amountIn, address thief) public {
        vm.assume(thief != victim && thief != address(0) && thief.code.length == 0 && thief != address(vm));
        amountIn = uint96(bound(amountIn, 1, 1e27));
        PhantomToken phantom = new PhantomToken();
        phantom.mint(victim, WEALTH);
        vm.prank(victim);
        phantom.approve(address(guard), type(uint256).max);
        Deal memory order = orderOf(address(phantom), amountIn, address(tokenOut), 1, address(puppet));
        order.permit = abi.encode(IGuard.Permit(kindOf(kind), amountIn, 0, block.timestamp, "unsigned"));
        vm.prank(thief);
        (bool ok,) = address(guard).call(Deals.encode(order, program(1)));
        assertFalse(ok);
        assertEq(phantom.balanceOf(victim), WEALTH);
    }

    function testFuzz_I07_a_token_that_is_given_a_permit_cannot_enter(uint8 kind, uint8 entry, uint96 amountIn) public {
        amountIn = uint96(bound(amountIn, 1, 1e27));
        HookToken hooked = new HookToken();
        hooked.mint(user, WEALTH);
        vm.prank(user);
        hooked.approve(address(guard), type(uint256).max);
        // Tries to swap for itself, or to draw, while the permit is submitted.
        tokenIn.mint(address(hooked), 1);
        vm.prank(address(hooked));
        tokenIn.approve(address(guard), 1);
        Deal memory own = orderOf(1, 1);
        own.direct = entry % 3 == 1;
        bytes memory attack = entry % 3 == 2
            ? abi.encodeCall(IGuard.pullInput, (partner, 1))
            : Deals.encode(
                own,
                programOf(
                    pullMove(partner, 1, true),
                    mintMove(address(tokenOut), own.direct ? address(hooked) : address(guard), 1)
                )
            );
        Deal memory order = orderOf(address(hooked), amountIn, address(tokenOut), 1, address(puppet));
        IGuard.PermitKind by = kind % 2 == 0 ? IGuard.PermitKind.Eip2612 : IGuard.PermitKind.Dai;
        order.permit = abi.encode(permission(by, userKey, address(hooked), address(guard), amountIn));
        hooked.hook(address(guard), attack);
        swap(order, programOf(mintMove(address(tokenOut), address(guard), 1)));
        assertFalse(hooked.reached(), "the token got in");
        assertGt(hooked.answer().length, 0, "it never tried");
        assertEq(hooked.nonces(user), 1, "the permit was not taken");
        assertEq(tokenIn.balanceOf(address(hooked)), 1);
        assertIdle();
    }

    /// @dev The Guard's calls before the Executor runs: one function of the input token, or of Permit2, for its sender.
    function testFuzz_I13_a_permit_makes_one_known_call_and_no_other(
        uint8 kind,
        address asset,
        uint256 amount,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) public {
        vm.assume(asset.code.length == 0 && asset > address(0x1000) && asset != address(puppet) && asset != address(vm));
        vm.assume(signature.length != 0);
        Deal memory order = orderOf(asset, 1, address(tokenOut), 1, address(puppet));
        order.permit = abi.encode(IGuard.Permit(kindOf(kind), amount, nonce, deadline, signature));
        vm.startStateDiffRecording();
        swap(order, programOf(mintMove(address(tokenOut), address(guard), 1)));
        VmSafe.AccountAccess[] memory accesses = vm.stopAndReturnStateDiff();
        bool permit2 = kindOf(kind) == IGuard.PermitKind.Permit2;
        uint256 calls;
        for (uint256 k; k < accesses.length; ++k) {
            VmSafe.AccountAccess memory access = accesses[k];
            if (access.accessor != address(guard) || access.kind != VmSafe.AccountAccessKind.Call) continue;
            if (access.account == address(puppet) || access.account == address(tokenOut)) continue;
            ++calls;
            assertEq(access.account, permit2 ? address(PERMIT2) : asset);
            assertEq(access.value, 0);
            // Owner and spender are first, except in Permit2's, where the spender is after token, amount, expiration, and nonce.
            assertEq(word(access.data, 0), uint160(user));
            assertEq(word(access.data, permit2 ? 5 : 1), uint160(address(guard)));
            if (permit2) assertEq(word(access.data, 1), uint160(asset));
            bytes4 expected = permit2
                ? IPermit2.permit.selector
                : kindOf(kind) == IGuard.PermitKind.Dai ? IDaiPermit.permit.selector : IERC2612.permit.selector;
            assertEq(bytes32(bytes4(access.data)), bytes32(expected));
        }
        assertEq(calls, 1);
    }

    function word(bytes memory data, uint256 index) private pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := mload(add(add(data, 0x24), mul(index, 0x20)))
        }
    }
}
