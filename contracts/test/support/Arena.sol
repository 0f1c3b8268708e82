// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../../src/interfaces/IExecutor.sol";
import {IGuard} from "../../src/interfaces/IGuard.sol";
import {Deal, Deals} from "./Deals.sol";
import {IToken} from "./Genuine.sol";
import {HostilePool, Move, Puppet} from "./Hostile.sol";
import {Programs} from "./Programs.sol";
import {Signing} from "./Signing.sol";
import {
    BlacklistToken,
    FalseToken,
    HookToken,
    NoReturnToken,
    RebasingToken,
    SplitToken,
    TaxedToken,
    Token
} from "./Tokens.sol";

/// @notice A sender with two tokens and approvals of both, and a hostile party that executes its swap.
abstract contract Arena is Signing {
    IGuard internal guard;
    IExecutor internal executor;
    Puppet internal puppet;
    Token internal tokenIn;
    Token internal tokenOut;
    address internal user;
    uint256 internal userKey;
    bytes internal answer;
    address internal partner = makeAddr("partner");
    address internal payee = makeAddr("payee");

    uint256 internal constant WEALTH = 1e30;

    // Kinds of tokens; the last one is an ordinary token.
    uint8 internal constant KINDS = 8;
    uint8 internal constant TAXED = 2;
    uint8 internal constant REBASING = 3;
    uint8 internal constant HOOKED = 4;

    function setUp() public virtual {
        (user, userKey) = makeAddrAndKey("user");
        deployGenuine();
        deployPermit2();
        guard = newGuard();
        executor = newExecutor(address(guard));
        puppet = new Puppet();
        tokenIn = new Token();
        tokenOut = new Token();
        fund(user);
    }

    function fund(address account) internal {
        tokenIn.mint(account, WEALTH);
        tokenOut.mint(account, WEALTH);
        vm.deal(account, WEALTH);
        vm.startPrank(account);
        tokenIn.approve(address(guard), type(uint256).max);
        tokenOut.approve(address(guard), type(uint256).max);
        vm.stopPrank();
    }

    function tokenOfKind(uint256 kind) internal returns (address) {
        kind = kind % KINDS;
        if (kind == 0) return address(new NoReturnToken());
        if (kind == 1) return address(new FalseToken());
        if (kind == TAXED) return address(new TaxedToken(50_000));
        if (kind == REBASING) return address(new RebasingToken());
        if (kind == HOOKED) return address(new HookToken());
        if (kind == 5) return address(new BlacklistToken());
        if (kind == 6) return address(new SplitToken());
        return address(new Token());
    }

    /// @dev From `tokenIn` to `tokenOut`, executed by the puppet.
    function orderOf(uint256 amountIn, uint256 minOutput) internal view returns (Deal memory) {
        return orderOf(address(tokenIn), amountIn, address(tokenOut), minOutput, address(puppet));
    }

    function orderOf(address tokenIn_, uint256 amountIn, address tokenOut_, uint256 minOutput, address executor_)
        internal
        view
        returns (Deal memory)
    {
        return Deal({
            tokenIn: tokenIn_,
            amountIn: amountIn,
            value: tokenIn_ == address(0) ? amountIn : 0,
            tokenOut: tokenOut_,
            minOutput: minOutput,
            deadline: block.timestamp,
            executor: executor_,
            wrapper: address(0),
            feePpm: 0,
            feeRecipient: address(0),
            sender: user,
            recipient: user,
            direct: false,
            permit: ""
        });
    }

    function swap(Deal memory order, bytes memory program) internal returns (uint256) {
        vm.prank(user);
        return Deals.send(order, address(guard), program);
    }

    /// @dev Returns false instead of reverting; `answer` has the revert data.
    function trySwap(Deal memory order, bytes memory program) internal returns (bool ok) {
        vm.prank(user);
        (ok, answer) = address(guard).call{value: order.value}(Deals.encode(order, program));
    }

    /// @dev A program without a swap: it has no loan.
    function run(IExecutor.Task memory task, bytes memory program) internal {
        vm.prank(address(guard));
        Deals.call(address(executor), 0, Programs.execution(task, program));
    }

    /// @dev A call of `pullInput`.
    function pullMove(address to, uint256 amount, bool mustSucceed) internal view returns (Move memory) {
        return Move(address(guard), 0, abi.encodeCall(IGuard.pullInput, (to, amount)), mustSucceed);
    }

    /// @dev A call that mints a test token.
    function mintMove(address token, address to, uint256 amount) internal pure returns (Move memory) {
        return Move(token, 0, abi.encodeWithSignature("mint(address,uint256)", to, amount), true);
    }

    /// @dev Program of a puppet: the encoded list of its calls.
    function programOf(Move memory a) internal pure returns (bytes memory) {
        Move[] memory moves = new Move[](1);
        moves[0] = a;
        return abi.encode(moves);
    }

    function programOf(Move memory a, Move memory b) internal pure returns (bytes memory) {
        Move[] memory moves = new Move[](2);
        (moves[0], moves[1]) = (a, b);
        return abi.encode(moves);
    }

    function programOf(Move memory a, Move memory b, Move memory c) internal pure returns (bytes memory) {
        Move[] memory moves = new Move[](3);
        (moves[0], moves[1], moves[2]) = (a, b, c);
        return abi.encode(moves);
    }

    /// @dev Outside of a swap no draw is possible and no callback is expected.
    function assertIdle() internal {
        assertEq(guard.remaining(), 0, "the loan has not ended");
        vm.prank(address(puppet));
        (bool pulled, bytes memory reason) = address(guard).call(abi.encodeCall(IGuard.pullInput, (partner, 0)));
        assertFalse(pulled, "the Guard is still locked");
        // The Executor has no state left: a draw that fails later would find the token of the last swap.
        assertEq(reason, abi.encodeWithSelector(IGuard.NotExecutor.selector, puppet), "the Guard still has an Executor");
        (bool sent,) = address(guard).call{value: 0}("");
        assertFalse(sent, "the Guard still accepts native token");
    }
}
