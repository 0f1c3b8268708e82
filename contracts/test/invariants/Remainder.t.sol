// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../../src/interfaces/IExecutor.sol";
import {Deal} from "../support/Deals.sol";
import {IToken} from "../support/Genuine.sol";
import {GenuineV4} from "../support/GenuineV4.sol";
import {
    PartialAmbient,
    PartialEkubo,
    PartialEkuboV2,
    PartialInfinity,
    PartialIziswap,
    PartialKyberElastic,
    PartialMaverick,
    UnitGsm,
    UnitPsm
} from "../support/PartialPools.sol";
import {Programs} from "../support/Programs.sol";
import {Token} from "../support/Tokens.sol";

/// @notice Invariant 5: for any part of its input that a pool consumes, a swap does not change the Executor's balances.
/// @dev Uniswap V3 and V4 run from their published bytecode; PartialPools.sol has pools of the other families.
contract RemainderInvariants is GenuineV4 {
    /// @dev With liquidity from -60,000 to 60,000 ticks such a pool consumes about 19e18.
    uint128 internal constant THIN = 1e18;
    uint256 internal constant STRAYS = 12_345;
    uint256 internal constant FAMILIES = 7;

    Token internal middle;
    address[3] internal tokens;

    function setUp() public override {
        super.setUp();
        middle = new Token();
        tokens = [address(tokenIn), address(middle), address(tokenOut)];
        // Balances from before the swap: neither spent nor increased.
        for (uint256 k; k < 3; ++k) Token(tokens[k]).mint(address(executor), STRAYS);
        vm.deal(address(executor), STRAYS);
    }

    function assertAsBefore() internal view {
        for (uint256 k; k < 3; ++k) assertEq(IToken(tokens[k]).balanceOf(address(executor)), STRAYS, "a remainder");
        assertEq(address(executor).balance, STRAYS, "a native remainder");
    }

    /// @dev A swap succeeds if its pools consume everything, and reverts with `PartialFill` otherwise.
    function trySwapWhole(Deal memory order, bytes memory program, bool isWhole) internal {
        trySwapWhole(order, program, isWhole, IExecutor.PartialFill.selector);
    }

    function trySwapWhole(Deal memory order, bytes memory program, bool isWhole, bytes4 error) internal {
        bool ok = trySwap(order, program);
        if (!ok && bytes4(answer) != error) {
            bytes memory why = answer;
            assembly ("memory-safe") {
                revert(add(why, 0x20), mload(why))
            }
        }
        assertEq(ok, isWhole, "consumed");
        assertAsBefore();
        if (ok) return;
        assertEq(tokenIn.balanceOf(user), WEALTH);
        assertEq(user.balance, WEALTH);
    }

    /// @dev Amounts that a thin pool consumes, and larger ones; none so near to its limit that the fee decides.
    function aroundThin(uint96 amount) internal pure returns (uint96) {
        amount = uint96(bound(amount, 1e15, 1e20));
        return amount > 18e18 && amount < 21e18 ? amount + 3e18 : amount;
    }

    /// @dev First hop of a swap through `middle`, whose output in the Executor equals the amount sold.
    function hopToMiddle(uint256 amount) internal returns (bytes memory step, uint256 arrived) {
        address pair = v2Pair(address(tokenIn), address(middle), 1e27);
        arrived = v2Out(pair, address(tokenIn), amount);
        step = Programs.v2(Programs.PULL_ALL | zeroForOne(pair, address(tokenIn)), "", address(tokenIn), pair, 3000);
    }

    function testFuzz_I05_a_uniswap_v3_pool_that_runs_dry_leaves_nothing(uint96 amountIn) public {
        amountIn = aroundThin(amountIn);
        (bytes memory hop, uint256 arrived) = hopToMiddle(amountIn);
        address pool = v3Pool(address(middle), address(tokenOut), 3000, THIN);
        bytes memory program = bytes.concat(
            hop,
            Programs.v3(
                Programs.HELD | Programs.TO_GUARD | zeroForOne(pool, address(middle)),
                abi.encodePacked(uint128(arrived)),
                address(middle),
                pool
            )
        );
        trySwapWhole(
            orderOf(address(tokenIn), amountIn, address(tokenOut), 1, address(executor)), program, amountIn < 19e18
        );
    }

    function testFuzz_I05_uniswap_v4_pools_that_run_dry_leave_nothing(uint96 amountIn, uint8 way, bool secondIsThin) public {
        amountIn = aroundThin(amountIn);
        address manager = manager4();
        address first = way % 3 == 0 ? address(0) : address(tokenIn);
        v4(manager, first, address(middle), secondIsThin ? DEEP : int256(uint256(THIN)));
        v4(manager, address(middle), address(tokenOut), secondIsThin ? int256(uint256(THIN)) : DEEP);
        address[] memory path = new address[](2);
        (path[0], path[1]) = (address(middle), address(tokenOut));
        bool isPulled = way % 3 == 1;
        bytes memory amount = abi.encodePacked(uint128(amountIn));
        bytes memory program;
        if (way % 3 == 2) {
            // The Executor holds the input itself: unwrapped from a vault with a rate of one, as by a previous hop.
            program = abi.encodePacked(bytes1(0x0b), Programs.PULL_ALL, address(tokenIn));
        }
        bytes1 flags = (isPulled ? Programs.PULL : Programs.HELD) | Programs.TO_GUARD;
        program = bytes.concat(program, v4Step(flags, amount, manager, first, path));
        Deal memory order = orderOf(first, amountIn, address(tokenOut), 1, address(executor));
        if (way % 3 == 2) order.tokenIn = shares(amountIn);
        bool fits = amountIn < 19e18;
        if (isPulled && !secondIsThin && !fits) {
            // The input that the pool did not consume was not drawn, and stays with the sender.
            assertTrue(trySwap(order, program));
            assertAsBefore();
            assertGt(tokenIn.balanceOf(user), WEALTH - amountIn);
        } else {
            // The manager rejects a second hop that consumes a part: CurrencyNotSettled.
            trySwapWhole(order, program, fits, secondIsThin ? bytes4(0x5212cba1) : IExecutor.PartialFill.selector);
        }
    }

    /// @dev Shares of the user that are redeemed 1:1 for `tokenIn`.
    function shares(uint256 amount) internal returns (address vault) {
        vault = address(new Redeemer(tokenIn));
        tokenIn.mint(vault, amount);
        Token(vault).mint(user, amount);
        vm.prank(user);
        Token(vault).approve(address(guard), amount);
    }

    /// @dev Ambient, both versions of Ekubo, Infinity, iZiSwap, Kyber Elastic, and Maverick V2, with the sender's token, native token, and after a hop.
    function testFuzz_I05_a_pool_that_runs_dry_leaves_nothing(uint96 amountIn, uint96 capacity, uint8 way) public {
        amountIn = uint96(bound(amountIn, 1e9, 1e24));
        // Every other pool runs dry.
        capacity = uint96(bound(capacity, 1, 2 * uint256(amountIn)));
        for (uint8 family; family < FAMILIES; ++family) {
            uint256 fresh = vm.snapshotState();
            sellToPool(amountIn, capacity, family, way % 3);
            vm.revertToState(fresh);
        }
    }

    function sellToPool(uint96 amountIn, uint96 capacity, uint8 family, uint8 way) internal {
        // Pools of iziswap, kyber-elastic, and maverick-v2 hold no native token.
        if (family > 2 && family < 6 && way == 1) way = 0;
        bytes memory hop;
        uint256 sold = amountIn;
        address from = way == 1 ? address(0) : address(way == 2 ? middle : tokenIn);
        if (way == 2) (hop, sold) = hopToMiddle(amountIn);
        bytes1 flags = Programs.TO_GUARD | (way == 0 ? Programs.PULL_ALL : Programs.HELD);
        bytes memory head = way == 0 ? bytes("") : abi.encodePacked(uint128(sold), from);
        Deal memory order = orderOf(way == 2 ? address(tokenIn) : from, amountIn, address(tokenOut), 1, address(executor));
        bytes memory program = bytes.concat(hop, stepOf(family, flags, head, from, capacity));
        bool isWhole = capacity >= sold || (family == 3 && sold - capacity <= sold >> 20);
        // Ambient and Maverick are paid before the swap; the others draw what they consume, and leave the rest with the sender.
        if (way != 0 || family == 0 || family == 5) return trySwapWhole(order, program, isWhole);
        assertTrue(trySwap(order, program));
        assertAsBefore();
        assertEq(tokenIn.balanceOf(user), WEALTH - (capacity >= sold ? amountIn : capacity));
    }

    function stepOf(uint8 family, bytes1 flags, bytes memory head, address from, uint256 capacity)
        internal
        returns (bytes memory)
    {
        address to = address(tokenOut);
        if (family == 0) {
            address dex = address(new PartialAmbient(capacity));
            return abi.encodePacked(bytes1(0x1d), flags, head, dex, to, uint24(420), uint8(64));
        }
        if (family == 1) {
            address core = address(new PartialEkubo(capacity, [from, address(0), to]));
            return abi.encodePacked(bytes1(0x15), flags, head, core, uint8(1), to, bytes32(0));
        }
        if (family == 2) {
            address vault = address(new PartialInfinity(capacity, [from, address(0), to]));
            return abi.encodePacked(bytes1(0x0e), flags, head, vault, uint8(1), to, vault, uint8(0), uint24(0), uint40(0));
        }
        if (family == 6) {
            address core = address(new PartialEkuboV2(capacity, [from, address(0), to]));
            return abi.encodePacked(bytes1(0x15), flags, head, core, uint8(1), to, bytes32(0));
        }
        (address x, address y) = from < to ? (from, to) : (to, from);
        bytes1 direction = from == x ? bytes1(0x20) : bytes1(0);
        if (family == 4) {
            address elastic = address(new PartialKyberElastic(capacity, x, y));
            return abi.encodePacked(bytes1(0x1f), flags | direction, head, elastic);
        }
        if (family == 5) {
            address maverick = address(new PartialMaverick(capacity, x, y));
            return abi.encodePacked(bytes1(0x20), flags | direction, head, maverick);
        }
        address pool = address(new PartialIziswap(capacity, x, y));
        return abi.encodePacked(bytes1(0x0f), flags | direction, head, pool);
    }

    /// @dev Two hops in one lock, paid from the Executor's balance.
    function testFuzz_I05_two_pools_in_one_lock_that_run_dry_leave_nothing(
        uint96 amountIn,
        uint96 capacity,
        bool isEkubo,
        bool isV2
    ) public {
        amountIn = uint96(bound(amountIn, 1e9, 1e24));
        capacity = uint96(bound(capacity, 1, 2e24));
        address[3] memory all = [address(tokenIn), address(middle), address(tokenOut)];
        bytes1 flags = Programs.TO_GUARD | Programs.HELD;
        tokenIn.mint(address(executor), amountIn);
        address singleton = !isEkubo
            ? address(new PartialInfinity(capacity, all))
            : isV2 ? address(new PartialEkuboV2(capacity, all)) : address(new PartialEkubo(capacity, all));
        bytes memory hops = isEkubo
            ? abi.encodePacked(middle, bytes32(0), tokenOut, bytes32(0))
            : abi.encodePacked(
                middle, singleton, uint8(0), uint24(0), uint40(0), tokenOut, singleton, uint8(0), uint24(0), uint40(0)
            );
        bytes memory program = abi.encodePacked(
            isEkubo ? bytes1(0x15) : bytes1(0x0e), flags, uint128(amountIn), tokenIn, singleton, uint8(2), hops
        );
        vm.prank(address(guard));
        (bool ok, bytes memory why) = address(executor).call(Programs.execution(Programs.task(partner), program));
        assertEq(ok, capacity >= amountIn);
        if (!ok) {
            assertEq(
                why, abi.encodeWithSelector(IExecutor.PartialFill.selector, singleton, uint256(amountIn) - capacity)
            );
            return;
        }
        assertAsBefore();
        assertEq(tokenOut.balanceOf(partner), amountIn);
    }

    /// @dev An iziswap pool keeps a remainder of up to 2^-20 of its input; the step reverts for a larger one.
    function testFuzz_I05_rounding_of_iziswap_goes_to_the_pool(uint96 amountIn, uint96 unsold) public {
        amountIn = uint96(bound(amountIn, 1e15, 1e24));
        (bytes memory hop, uint256 sold) = hopToMiddle(amountIn);
        unsold = uint96(bound(unsold, 0, sold >> 19));
        bytes1 flags = Programs.TO_GUARD | Programs.HELD;
        bytes memory head = abi.encodePacked(uint128(sold), middle);
        bytes memory step = stepOf(3, flags, head, address(middle), sold - unsold);
        trySwapWhole(
            orderOf(address(tokenIn), amountIn, address(tokenOut), 1, address(executor)),
            bytes.concat(hop, step),
            unsold <= sold >> 20
        );
    }

    /// @dev GSM and PSM trade whole units of their asset: a remainder of less than one unit is not drawn, or goes to the module.
    function testFuzz_I05_an_exchange_of_whole_units_leaves_nothing(uint96 amountIn, uint56 fee, bool isGsm, bool sells, bool held)
        public
    {
        amountIn = uint96(bound(amountIn, 2e12, 1e26));
        fee = uint56(bound(fee, 0, 1e17));
        bytes memory hop;
        uint256 sold = amountIn;
        if (held) (hop, sold) = hopToMiddle(amountIn);
        Token from = held ? middle : tokenIn;
        UnitGsm gsm = sells ? new UnitGsm(from, tokenOut, fee) : new UnitGsm(tokenOut, from, fee);
        UnitPsm psm = sells ? new UnitPsm(from, tokenOut, fee) : new UnitPsm(tokenOut, from, fee);
        address module = isGsm ? address(gsm) : address(psm);
        bytes1 flags = Programs.TO_GUARD | (held ? Programs.HELD : Programs.PULL_ALL) | (sells ? bytes1(0x20) : bytes1(0));
        bytes memory step = abi.encodePacked(
            isGsm ? bytes1(0x18) : bytes1(0x14),
            flags,
            held ? abi.encodePacked(uint128(sold), from) : bytes(""),
            module,
            tokenOut
        );
        Deal memory order = orderOf(address(tokenIn), amountIn, address(tokenOut), 1, address(executor));
        uint256 got = swap(order, bytes.concat(hop, step));
        assertAsBefore();
        assertEq(from.allowance(address(executor), module), 0);
        if (sells) {
            assertEq(got, (isGsm ? sold / 2 * 2 : sold) * 1e12);
            return;
        }
        (uint256 units, uint256 cost,,) = gsm.getAssetAmountForBuyAsset(sold);
        assertEq(got, units);
        assertLt(sold, gsm.costOf(units + 1));
        // With the sender's own token, the sender pays only the cost.
        if (!held) assertEq(tokenIn.balanceOf(user), WEALTH - cost);
        else assertEq(middle.balanceOf(module), sold);
    }
}

/// @notice Shares that are redeemed 1:1.
contract Redeemer is Token {
    Token internal immutable ASSET;

    constructor(Token asset) {
        ASSET = asset;
    }

    function redeem(uint256 amount, address to, address owner) external returns (uint256) {
        require(owner == msg.sender, "owner");
        balanceOf[owner] -= amount;
        ASSET.transfer(to, amount);
        return amount;
    }
}
