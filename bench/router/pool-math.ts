/**
 * Exact integer math of the scenarios' pools. Shares no code with the service, so that errors of the service do not
 * affect the evaluator. Follows the published contracts: UniswapV2Library.getAmountOut, UniswapV3Pool.swap with the
 * bitmap's word steps, and get_dy of Curve's two-coin pools.
 */
const Q96 = 1n << 96n
const MAX_UINT256 = (1n << 256n) - 1n
const PPM = 1_000_000n
export const MIN_TICK = -887_272
export const MAX_TICK = 887_272
/**
 * Bits of a bitmap word, one per multiple of the tick spacing. A step of a swap ends at the end of a word even if no
 * tick is initialized there.
 */
const BITS_PER_WORD = 256
/** Maximum number of steps of a swap. A step ends at an initialized tick or at the end of a bitmap word. */
const MAX_STEPS = 5_000

/** Element i is 2^128 / 1.0001^(2^i / 2): the factor of the square root of the price for bit i of a negative tick. */
const TICK_FACTORS = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
]
const sqrtPrices = new Map<number, bigint>()

/** Returns the square root of the price at a tick, times 2^96. */
export function sqrtPriceAtTick(tick: number): bigint {
  const cached = sqrtPrices.get(tick)
  if (cached !== undefined) return cached
  const distance = Math.abs(tick)
  let ratio = 1n << 128n
  TICK_FACTORS.forEach((factor, bit) => {
    if (distance & (1 << bit)) ratio = (ratio * factor) >> 128n
  })
  if (tick > 0) ratio = MAX_UINT256 / ratio
  const roundedRatio = (ratio >> 32n) + (ratio & 0xffffffffn ? 1n : 0n)
  sqrtPrices.set(tick, roundedRatio)
  return roundedRatio
}

/** Returns the highest tick whose square root of the price is at most `sqrtPrice`. */
export function tickAtSqrtPrice(sqrtPrice: bigint): number {
  let low = MIN_TICK
  let high = MAX_TICK
  while (low < high) {
    const middle = Math.floor((low + high + 1) / 2)
    if (sqrtPriceAtTick(middle) <= sqrtPrice) low = middle
    else high = middle - 1
  }
  return low
}

const divideUp = (a: bigint, b: bigint) => (a + b - 1n) / b

/** Returns the amount of token 0 between the square roots `a` < `b` of two prices, both times 2^96. */
export function amount0Between(a: bigint, b: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const product = (liquidity << 96n) * (b - a)
  return roundUp ? divideUp(divideUp(product, b), a) : product / b / a
}

/** Returns the amount of token 1 between the square roots `a` < `b` of two prices, both times 2^96. */
export function amount1Between(a: bigint, b: bigint, liquidity: bigint, roundUp: boolean): bigint {
  return roundUp ? divideUp(liquidity * (b - a), Q96) : (liquidity * (b - a)) >> 96n
}

/** Returns the output of a Uniswap V2 pair. */
export function pairOutput(reserveIn: bigint, reserveOut: bigint, feePpm: bigint, amountIn: bigint): bigint {
  const netInput = amountIn * (PPM - feePpm)
  return (netInput * reserveOut) / (reserveIn * PPM + netInput)
}

/** A Uniswap V3 pool. */
export type TickState = {
  /** Square root of the price in base units of token 1 per base unit of token 0, times 2^96. */
  readonly sqrtPrice: bigint
  readonly tick: number
  readonly liquidity: bigint
  /** Initialized ticks, ascending. */
  readonly ticks: readonly (readonly [tick: number, liquidityNet: bigint])[]
  readonly spacing: number
  readonly feePpm: bigint
}
export type TickSwap = {
  readonly amountOut: bigint
  /** Input that is left because the pool has no liquidity for it, or because of `MAX_STEPS`. */
  readonly unspentInput: bigint
  /** Number of initialized ticks that the swap crossed. */
  readonly crossedTicks: number
  readonly state: TickState
}

/** Swaps in a Uniswap V3 pool. */
export function swapThroughTicks(state: TickState, amountIn: bigint, zeroForOne: boolean): TickSwap {
  const { ticks, spacing, feePpm } = state
  let { sqrtPrice, tick, liquidity } = state
  let unspentInput = amountIn
  let amountOut = 0n
  let crossedCount = 0
  let index = indexOfLastAtOrBelow(ticks, tick)
  const limitPrice = zeroForOne ? sqrtPriceAtTick(MIN_TICK) + 1n : sqrtPriceAtTick(MAX_TICK) - 1n
  for (let step = 0; step < MAX_STEPS && unspentInput > 0n && sqrtPrice !== limitPrice; step++) {
    const nextInitializedTick = ticks[zeroForOne ? index : index + 1]?.[0]
    const wordEnd = endOfWord(tick, spacing, zeroForOne)
    const isInThisWord =
      nextInitializedTick !== undefined &&
      (zeroForOne ? nextInitializedTick >= wordEnd : nextInitializedTick <= wordEnd)
    if (liquidity === 0n && nextInitializedTick === undefined) break
    const nextTick = Math.min(MAX_TICK, Math.max(MIN_TICK, isInThisWord ? nextInitializedTick : wordEnd))
    const tickPrice = sqrtPriceAtTick(nextTick)
    const isBeyondLimit = zeroForOne ? tickPrice < limitPrice : tickPrice > limitPrice
    const swapStep = swapWithin(
      sqrtPrice,
      isBeyondLimit ? limitPrice : tickPrice,
      liquidity,
      unspentInput,
      feePpm,
      zeroForOne,
    )
    unspentInput -= swapStep.spent
    amountOut += swapStep.amountOut
    const hasMoved = swapStep.sqrtPrice !== sqrtPrice
    sqrtPrice = swapStep.sqrtPrice
    if (sqrtPrice === tickPrice) {
      if (isInThisWord) {
        crossedCount++
        const net = ticks[zeroForOne ? index : index + 1]![1]
        liquidity += zeroForOne ? -net : net
        index += zeroForOne ? -1 : 1
      }
      tick = zeroForOne ? nextTick - 1 : nextTick
    } else if (hasMoved) tick = tickAtSqrtPrice(sqrtPrice)
  }
  return { amountOut, unspentInput, crossedTicks: crossedCount, state: { ...state, sqrtPrice, tick, liquidity } }
}

/** Returns the index in `ticks` of the last tick that is at most `tick`; -1 if every tick is higher. */
function indexOfLastAtOrBelow(ticks: TickState['ticks'], tick: number): number {
  let low = 0
  let high = ticks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (ticks[middle]![0] <= tick) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Returns the last usable tick, in the direction of the swap, of the bitmap word that the next step searches. */
function endOfWord(tick: number, spacing: number, zeroForOne: boolean): number {
  const spacingIndex = Math.floor(tick / spacing)
  return zeroForOne
    ? Math.floor(spacingIndex / BITS_PER_WORD) * BITS_PER_WORD * spacing
    : (Math.floor((spacingIndex + 1) / BITS_PER_WORD) * BITS_PER_WORD + BITS_PER_WORD - 1) * spacing
}

/**
 * Swaps at constant liquidity, until the input is spent or the price reaches `targetPrice`. Prices are square roots.
 */
function swapWithin(
  startPrice: bigint,
  targetPrice: bigint,
  liquidity: bigint,
  amountIn: bigint,
  feePpm: bigint,
  zeroForOne: boolean,
) {
  const inputToReach = (price: bigint) =>
    zeroForOne ? amount0Between(price, startPrice, liquidity, true) : amount1Between(startPrice, price, liquidity, true)
  const inputAfterFee = (amountIn * (PPM - feePpm)) / PPM
  const canReachTarget = inputAfterFee >= inputToReach(targetPrice)
  const scaledLiquidity = liquidity << 96n
  const endPrice = canReachTarget
    ? targetPrice
    : zeroForOne
      ? divideUp(scaledLiquidity * startPrice, scaledLiquidity + inputAfterFee * startPrice)
      : startPrice + (inputAfterFee << 96n) / liquidity
  // Because of rounding, the price can reach the target even if the input is slightly too small for it.
  const isAtTarget = endPrice === targetPrice
  const amountOut = zeroForOne
    ? amount1Between(endPrice, startPrice, liquidity, false)
    : amount0Between(startPrice, endPrice, liquidity, false)
  const input = inputToReach(endPrice)
  // If the price does not reach the target, all input is spent. The part that does not move the price is the fee.
  return {
    sqrtPrice: endPrice,
    amountOut,
    spent: isAtTarget ? input + divideUp(input * feePpm, PPM - feePpm) : amountIn,
  }
}

/** A two-coin Curve pool. `rates` scale its balances to a common unit; `A` is the amplification coefficient. */
export type StableState = {
  readonly balances: readonly [bigint, bigint]
  readonly rates: readonly [bigint, bigint]
  readonly A: bigint
  readonly feePpm: bigint
}
/** Maximum number of steps of Newton's method, as in Curve's pools. */
const MAX_ITERATIONS = 255

/** Returns the output of a two-coin Curve pool. `inputSide` is the index of the input coin. */
export function stableOutput({ balances, rates, A, feePpm }: StableState, inputSide: 0 | 1, amountIn: bigint): bigint {
  const outputSide = inputSide === 0 ? 1 : 0
  const ann = A * 2n
  const x = balances[inputSide] * rates[inputSide]
  const y = balances[outputSide] * rates[outputSide]
  // In both directions of the swap, the contract computes the invariant with the balances in the order of its coins.
  // The order affects rounding.
  const d = inputSide === 0 ? stableInvariant(x, y, ann) : stableInvariant(y, x, ann)
  const balanceAfter = stableBalance(x + amountIn * rates[inputSide], d, ann)
  const amountOut = (y - balanceAfter - 1n) / rates[outputSide]
  // Curve's fees have ten decimals. A part per million is 10,000 of their units.
  return amountOut <= 0n ? 0n : amountOut - (feePpm * 10_000n * amountOut) / 10_000_000_000n
}

/** Returns the invariant `d` of the scaled balances `x` and `y` by Newton's method. `ann` is 2·A. */
function stableInvariant(x: bigint, y: bigint, ann: bigint): bigint {
  const sum = x + y
  let d = sum
  for (let iteration = 0; iteration < MAX_ITERATIONS && sum > 0n; iteration++) {
    const product = (((d * d) / (x * 2n)) * d) / (y * 2n)
    const previous = d
    d = ((ann * sum + product * 2n) * d) / ((ann - 1n) * d + 3n * product)
    if (isNear(d, previous)) break
  }
  return d
}

/** Returns the scaled balance `y` at which the invariant is `d` if the other balance is `x`. `ann` is 2·A. */
function stableBalance(x: bigint, d: bigint, ann: bigint): bigint {
  const c = (((d * d) / (x * 2n)) * d) / (ann * 2n)
  const b = x + d / ann
  let y = d
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    const previous = y
    y = (y * y + c) / (2n * y + b - d)
    if (isNear(y, previous)) break
  }
  return y
}

const isNear = (a: bigint, b: bigint) => a - b <= 1n && b - a <= 1n
