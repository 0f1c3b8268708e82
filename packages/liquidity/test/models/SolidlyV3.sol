// SPDX-License-Identifier: MIT
pragma solidity =0.7.6;

import '@uniswap/v3-core/contracts/libraries/LiquidityMath.sol';
import '@uniswap/v3-core/contracts/libraries/SwapMath.sol';
import '@uniswap/v3-core/contracts/libraries/TickBitmap.sol';
import '@uniswap/v3-core/contracts/libraries/TickMath.sol';

interface Token {
    function balanceOf(address) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
}

interface Swapper {
    function solidlyV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata data) external;
}

/// A pool with the interface, storage layout, and logs of Solidly V3, and the swap math of Uniswap V3. Positions have no owner and cost
/// nothing: the test gives the pool its tokens.
contract SolidlyV3Pool {
    using TickBitmap for mapping(int16 => uint256);

    struct Slot0 {
        uint160 sqrtPriceX96;
        int24 tick;
        uint24 fee;
        bool unlocked;
    }

    struct Fees {
        uint128 token0;
        uint128 token1;
    }

    struct Tick {
        uint128 liquidityGross;
        int128 liquidityNet;
        bool initialized;
    }

    event Initialize(uint160 sqrtPriceX96, int24 tick);
    event SetFee(uint24 feeOld, uint24 feeNew);
    event Mint(
        address sender,
        address indexed owner,
        int24 indexed tickLower,
        int24 indexed tickUpper,
        uint128 amount,
        uint256 amount0,
        uint256 amount1
    );
    event Burn(
        address indexed owner,
        int24 indexed tickLower,
        int24 indexed tickUpper,
        uint128 amount,
        uint256 amount0,
        uint256 amount1
    );
    event Swap(
        address indexed sender,
        address indexed recipient,
        int256 amount0,
        int256 amount1,
        uint160 sqrtPriceX96,
        uint128 liquidity,
        int24 tick
    );

    address public immutable token0;
    address public immutable token1;
    int24 public immutable tickSpacing;

    Slot0 public slot0;
    Fees public poolFees;
    uint128 public liquidity;
    mapping(int24 => Tick) public ticks;
    mapping(int16 => uint256) public tickBitmap;

    constructor(address first, address second, uint24 fee, int24 spacing) {
        (token0, token1, tickSpacing) = (first, second, spacing);
        slot0.fee = fee;
    }

    function initialize(uint160 sqrtPriceX96) external {
        require(slot0.sqrtPriceX96 == 0, 'AI');
        int24 tick = TickMath.getTickAtSqrtRatio(sqrtPriceX96);
        (slot0.sqrtPriceX96, slot0.tick, slot0.unlocked) = (sqrtPriceX96, tick, true);
        emit Initialize(sqrtPriceX96, tick);
    }

    function setFee(uint24 fee) external {
        require(fee <= 100000);
        emit SetFee(slot0.fee, fee);
        slot0.fee = fee;
    }

    function mint(int24 lower, int24 upper, uint128 amount) external {
        change(lower, upper, int128(amount));
        emit Mint(msg.sender, msg.sender, lower, upper, amount, 0, 0);
    }

    /// Anyone can burn zero liquidity at any ticks, and the pool emits a log.
    function burn(int24 lower, int24 upper, uint128 amount) external {
        change(lower, upper, -int128(amount));
        emit Burn(msg.sender, lower, upper, amount, 0, 0);
    }

    function change(int24 lower, int24 upper, int128 by) private {
        if (by == 0) return;
        changeTick(lower, by, by);
        changeTick(upper, by, -by);
        if (lower <= slot0.tick && slot0.tick < upper) liquidity = LiquidityMath.addDelta(liquidity, by);
    }

    function changeTick(int24 index, int128 by, int128 net) private {
        Tick storage tick = ticks[index];
        uint128 gross = LiquidityMath.addDelta(tick.liquidityGross, by);
        if ((gross == 0) != (tick.liquidityGross == 0)) tickBitmap.flipTick(index, tickSpacing);
        (tick.liquidityGross, tick.liquidityNet, tick.initialized) = (gross, tick.liquidityNet + net, gross > 0);
    }

    struct State {
        int256 rest;
        int256 paid;
        uint160 price;
        int24 tick;
        uint128 liquidity;
        uint128 fees;
    }

    struct Step {
        int24 next;
        bool initialized;
        uint160 target;
        uint160 start;
        uint256 amountIn;
        uint256 amountOut;
        uint256 fee;
    }

    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1)
    {
        require(amount > 0, 'exact inputs only');
        Slot0 memory before = slot0;
        require(before.unlocked, 'LOK');
        require(
            zeroForOne
                ? limit < before.sqrtPriceX96 && limit > TickMath.MIN_SQRT_RATIO
                : limit > before.sqrtPriceX96 && limit < TickMath.MAX_SQRT_RATIO,
            'SPL'
        );
        slot0.unlocked = false;
        State memory state = State(amount, 0, before.sqrtPriceX96, before.tick, liquidity, 0);
        while (state.rest != 0 && state.price != limit) walk(state, zeroForOne, limit, before.fee);
        (slot0.sqrtPriceX96, slot0.tick, liquidity) = (state.price, state.tick, state.liquidity);
        if (zeroForOne) poolFees.token0 += state.fees;
        else poolFees.token1 += state.fees;
        (amount0, amount1) = zeroForOne ? (amount - state.rest, state.paid) : (state.paid, amount - state.rest);
        emit Swap(msg.sender, to, amount0, amount1, state.price, state.liquidity, state.tick);
        settle(to, zeroForOne, amount0, amount1, data);
        slot0.unlocked = true;
    }

    function walk(State memory state, bool zeroForOne, uint160 limit, uint24 fee) private view {
        Step memory step;
        step.start = state.price;
        (step.next, step.initialized) =
            tickBitmap.nextInitializedTickWithinOneWord(state.tick, tickSpacing, zeroForOne);
        if (step.next < TickMath.MIN_TICK) step.next = TickMath.MIN_TICK;
        if (step.next > TickMath.MAX_TICK) step.next = TickMath.MAX_TICK;
        step.target = TickMath.getSqrtRatioAtTick(step.next);
        bool limited = zeroForOne ? step.target < limit : step.target > limit;
        (state.price, step.amountIn, step.amountOut, step.fee) =
            SwapMath.computeSwapStep(state.price, limited ? limit : step.target, state.liquidity, state.rest, fee);
        state.rest -= int256(step.amountIn + step.fee);
        state.paid -= int256(step.amountOut);
        state.fees += uint128(step.fee);
        if (state.price == step.target) {
            if (step.initialized) {
                int128 net = ticks[step.next].liquidityNet;
                state.liquidity = LiquidityMath.addDelta(state.liquidity, zeroForOne ? -net : net);
            }
            state.tick = zeroForOne ? step.next - 1 : step.next;
        } else if (state.price != step.start) {
            state.tick = TickMath.getTickAtSqrtRatio(state.price);
        }
    }

    function settle(address to, bool zeroForOne, int256 amount0, int256 amount1, bytes calldata data) private {
        (address sold, address bought) = zeroForOne ? (token0, token1) : (token1, token0);
        (int256 owed, int256 paid) = zeroForOne ? (amount0, amount1) : (amount1, amount0);
        if (paid < 0) require(Token(bought).transfer(to, uint256(-paid)));
        uint256 held = Token(sold).balanceOf(address(this));
        Swapper(msg.sender).solidlyV3SwapCallback(amount0, amount1, data);
        require(held + uint256(owed) <= Token(sold).balanceOf(address(this)), 'IIA');
    }
}

/// A factory whose pools of one pair differ by tick spacing. Its creation log indexes the spacing, not the fee.
contract SolidlyV3Factory {
    event PoolCreated(
        address indexed token0,
        address indexed token1,
        uint24 fee,
        int24 indexed tickSpacing,
        address pool
    );

    mapping(address => mapping(address => mapping(int24 => address))) public getPool;

    function createPool(address token0, address token1, uint24 fee, int24 spacing) external {
        address pool = address(new SolidlyV3Pool(token0, token1, fee, spacing));
        getPool[token0][token1][spacing] = pool;
        getPool[token1][token0][spacing] = pool;
        emit PoolCreated(token0, token1, fee, spacing, pool);
    }
}
