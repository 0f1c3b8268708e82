/**
 * Exact integer maths of the scenarios' pools, independent of the service's, so that the evaluator does not share its
 * errors. From published contract formulas: UniswapV2Library.getAmountOut, UniswapV3Pool.swap with the bitmap's word
 * steps, and get_dy of Curve's two-coin pools.
 */
const Q96 = 1n << 96n
const MAX_UINT256 = (1n << 256n) - 1n
const PPM = 1_000_000n
export const MIN_TICK = -887_272
export const MAX_TICK = 887_272
/** Ticks per bitmap word. A swap stops at the end of a word even if no tick is initialized there. */
const WORD = 256
const MAX_STEPS = 5_000

/** 2^128 / 1.0001^(2^i / 2). */
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

/** Returns the highest tick whose price is not above the given one. */
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

/** Returns the token 0 amount between two prices, of which `a` is the lower. */
export function amount0Between(a: bigint, b: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const product = (liquidity << 96n) * (b - a)
  return roundUp ? divideUp(divideUp(product, b), a) : product / b / a
}

/** Returns the token 1 amount between two prices, of which `a` is the lower. */
export function amount1Between(a: bigint, b: bigint, liquidity: bigint, roundUp: boolean): bigint {
  return roundUp ? divideUp(liquidity * (b - a), Q96) : (liquidity * (b - a)) >> 96n
}

export function pairOut(reserveIn: bigint, reserveOut: bigint, feePpm: bigint, amountIn: bigint): bigint {
  const netInput = amountIn * (PPM - feePpm)
  return (netInput * reserveOut) / (reserveIn * PPM + netInput)
}

export type TickState = {
  readonly sqrtPrice: bigint
  readonly tick: number
  readonly liquidity: bigint
  /** Sorted by index, ascending. */
  readonly ticks: readonly (readonly [index: number, liquidityNet: bigint])[]
  readonly spacing: number
  readonly feePpm: bigint
}
export type TickSwap = {
  readonly amountOut: bigint
  readonly unspent: bigint
  readonly crossed: number
  readonly state: TickState
}

export function tickSwap(state: TickState, amountIn: bigint, zeroForOne: boolean): TickSwap {
  const { ticks, spacing, feePpm } = state
  let { sqrtPrice, tick, liquidity } = state
  let unspent = amountIn
  let amountOut = 0n
  let crossedCount = 0
  let below = lastAtOrBelow(ticks, tick)
  const limit = zeroForOne ? sqrtPriceAtTick(MIN_TICK) + 1n : sqrtPriceAtTick(MAX_TICK) - 1n
  for (let step = 0; step < MAX_STEPS && unspent > 0n && sqrtPrice !== limit; step++) {
    const ahead = ticks[zeroForOne ? below : below + 1]?.[0]
    const wordEnd = endOfWord(tick, spacing, zeroForOne)
    const isInitialized = ahead !== undefined && (zeroForOne ? ahead >= wordEnd : ahead <= wordEnd)
    if (liquidity === 0n && ahead === undefined) break
    const nextTick = Math.min(MAX_TICK, Math.max(MIN_TICK, isInitialized ? ahead : wordEnd))
    const tickPrice = sqrtPriceAtTick(nextTick)
    const beyond = zeroForOne ? tickPrice < limit : tickPrice > limit
    const part = swapWithin(sqrtPrice, beyond ? limit : tickPrice, liquidity, unspent, feePpm, zeroForOne)
    unspent -= part.spent
    amountOut += part.amountOut
    const hasMoved = part.sqrtPrice !== sqrtPrice
    sqrtPrice = part.sqrtPrice
    if (sqrtPrice === tickPrice) {
      if (isInitialized) {
        crossedCount++
        const net = ticks[zeroForOne ? below : below + 1]![1]
        liquidity += zeroForOne ? -net : net
        below += zeroForOne ? -1 : 1
      }
      tick = zeroForOne ? nextTick - 1 : nextTick
    } else if (hasMoved) tick = tickAtSqrtPrice(sqrtPrice)
  }
  return { amountOut, unspent, crossed: crossedCount, state: { ...state, sqrtPrice, tick, liquidity } }
}

function lastAtOrBelow(ticks: TickState['ticks'], tick: number): number {
  let low = 0
  let high = ticks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (ticks[middle]![0] <= tick) low = middle + 1
    else high = middle
  }
  return low - 1
}

function endOfWord(tick: number, spacing: number, zeroForOne: boolean): number {
  const compressed = Math.floor(tick / spacing)
  return zeroForOne
    ? Math.floor(compressed / WORD) * WORD * spacing
    : (Math.floor((compressed + 1) / WORD) * WORD + WORD - 1) * spacing
}

/** Swaps at constant liquidity up to a price. */
function swapWithin(
  from: bigint,
  target: bigint,
  liquidity: bigint,
  amountIn: bigint,
  feePpm: bigint,
  zeroForOne: boolean,
) {
  const inputTo = (price: bigint) =>
    zeroForOne ? amount0Between(price, from, liquidity, true) : amount1Between(from, price, liquidity, true)
  const afterFee = (amountIn * (PPM - feePpm)) / PPM
  const enough = afterFee >= inputTo(target)
  const scaledLiquidity = liquidity << 96n
  const to = enough
    ? target
    : zeroForOne
      ? divideUp(scaledLiquidity * from, scaledLiquidity + afterFee * from)
      : from + (afterFee << 96n) / liquidity
  const reachesTarget = to === target
  const amountOut = zeroForOne ? amount1Between(to, from, liquidity, false) : amount0Between(from, to, liquidity, false)
  const input = inputTo(to)
  // If a swap ends within the range, the whole remainder is the fee.
  return { sqrtPrice: to, amountOut, spent: reachesTarget ? input + divideUp(input * feePpm, PPM - feePpm) : amountIn }
}

export type StableState = {
  readonly balances: readonly [bigint, bigint]
  readonly rates: readonly [bigint, bigint]
  readonly A: bigint
  readonly feePpm: bigint
}
const MAX_ITERATIONS = 255

export function stableOut({ balances, rates, A, feePpm }: StableState, from: 0 | 1, amountIn: bigint): bigint {
  const to = from === 0 ? 1 : 0
  const ann = A * 2n
  const x = balances[from] * rates[from]
  const y = balances[to] * rates[to]
  // The pool iterates over its coins in their order in both directions, and the order affects rounding.
  const d = from === 0 ? stableInvariant(x, y, ann) : stableInvariant(y, x, ann)
  const after = stableBalance(x + amountIn * rates[from], d, ann)
  const amountOut = (y - after - 1n) / rates[to]
  // Curve's fees have 10 decimals.
  return amountOut <= 0n ? 0n : amountOut - (feePpm * 10_000n * amountOut) / 10_000_000_000n
}

function stableInvariant(x: bigint, y: bigint, ann: bigint): bigint {
  const sum = x + y
  let d = sum
  for (let iteration = 0; iteration < MAX_ITERATIONS && sum > 0n; iteration++) {
    const product = (((d * d) / (x * 2n)) * d) / (y * 2n)
    const before = d
    d = ((ann * sum + product * 2n) * d) / ((ann - 1n) * d + 3n * product)
    if (isNear(d, before)) break
  }
  return d
}

/** Returns the other balance at which the invariant holds. */
function stableBalance(x: bigint, d: bigint, ann: bigint): bigint {
  const c = (((d * d) / (x * 2n)) * d) / (ann * 2n)
  const b = x + d / ann
  let y = d
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    const before = y
    y = (y * y + c) / (2n * y + b - d)
    if (isNear(y, before)) break
  }
  return y
}

const isNear = (a: bigint, b: bigint) => a - b <= 1n && b - a <= 1n
