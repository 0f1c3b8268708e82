/**
 * Upper bounds of a trader's earnings in pools at given prices: base units times integer prices, rounded up. README.md
 * derives the formulas.
 */
import { notCheckable } from './certificate.ts'

const [PPM, Q96, E10, E18] = [1_000_000n, 1n << 96n, 10n ** 10n, 10n ** 18n]
export const sumOf = (numbers: readonly bigint[]): bigint => numbers.reduce((sum, number) => sum + number, 0n)
export const divUp = (a: bigint, b: bigint): bigint => (a + b - 1n) / b

/** Returns floor(value^(1/degree)), by Newton's method from above. */
export function rootDown(value: bigint, degree: bigint): bigint {
  if (value < 1n) return 0n
  let root = 1n << (BigInt(value.toString(2).length) / degree + 1n)
  for (;;) {
    const next = ((degree - 1n) * root + value / root ** (degree - 1n)) / degree
    if (next >= root) return root
    root = next
  }
}

/** Returns max over d of bought·y·γd/(x + γd) − sold·d = (√(bought·y) − √(sold·x/γ))², or 0 if no trade earns. */
export function constantProduct(x: bigint, y: bigint, feePpm: bigint, sold: bigint, bought: bigint): bigint {
  const net = PPM - feePpm
  if (bought * y * net <= sold * x * PPM) return 0n
  return bought * y + divUp(sold * x * PPM, net) - rootDown((4n * bought * y * sold * x * PPM) / net, 2n)
}

/** Earnings in one direction through concentrated liquidity, piece by piece. */
export function concentratedTrade(zeroForOne: boolean, feePpm: bigint, sold: bigint, bought: bigint) {
  const net = PPM - feePpm
  const sides = (sqrtPrice: bigint) => (zeroForOne ? [sqrtPrice, Q96] : [Q96, sqrtPrice]) as [bigint, bigint]
  /** Returns true while the next unit earns at a √price with 96 fractional bits. */
  const isProfitable = (sqrtPrice: bigint) => {
    const [num, den] = sides(sqrtPrice)
    return bought * num ** 2n * net > sold * den ** 2n * PPM
  }
  /** Returns the earnings in a piece, and whether the trade ends within it. */
  const earnInPiece = (liquidity: bigint, from: bigint, to: bigint) => {
    const [[num, den], [endNum, endDen]] = [sides(from), sides(to)]
    const start = divUp(bought * liquidity * num, den) + divUp(sold * liquidity * den * PPM, num * net)
    const isEnd = !isProfitable(to)
    const endValue = isEnd
      ? rootDown((4n * liquidity ** 2n * bought * sold * PPM) / net, 2n)
      : (bought * liquidity * endNum) / endDen + (sold * liquidity * endDen * PPM) / (endNum * net)
    return { earned: start - endValue, isEnd }
  }
  return { isProfitable, earnInPiece }
}

export const MAX_TICK = 887_272
/** √(1.0001^−2^k) with 128 fractional bits for k from 0 to 19, as in TickMath of Uniswap v3-core. */
const FACTORS: bigint[] = []
for (let power = rootDown((10_000n << 1_024n) / 10_001n, 2n); FACTORS.length < 20; power = (power ** 2n) >> 512n)
  FACTORS.push(((power >> 383n) + 1n) >> 1n)

/** Returns √(1.0001^tick) with 96 fractional bits, rounded like the contract. */
export function sqrtRatioAtTick(tick: number): bigint {
  const size = Math.abs(tick)
  const ratio = FACTORS.reduce((all, factor, k) => (size & (1 << k) ? (all * factor) >> 128n : all), 1n << 128n)
  return ((tick > 0 ? ((1n << 256n) - 1n) / ratio : ratio) + 0xffffffffn) >> 32n
}

type List<T> = readonly T[]
/** Stable pool. `units` scale balances to 18 decimals; `a100` is 100 times A, as in `A_precise`. */
type StablePool = { balances: List<bigint>; units: List<bigint>; a100: bigint; feeE10: bigint }
/** Amount, in 18 decimals, by which rounding in the pool may lower its invariant per swap. */
const ROUNDINGS = 16n

/**
 * Bounds the earnings of all swaps in a StableSwap pool together. Σ q·x − D·v(μ, q) is a bound for any μ and any q
 * between (1 − fee) times the price of each bought token and the price of each sold token.
 *
 * @param sold - prices of tokens that may be sold to the pool, null for others
 * @param bought - prices of tokens that may be bought, null for others
 * @throws Stop for a pool without an invariant
 */
export function stable(pool: StablePool, sold: List<bigint | null>, bought: List<bigint | null>): bigint {
  const { balances, units, a100, feeE10 } = pool
  const n = BigInt(units.length)
  const x = balances.map((balance, k) => balance * units[k]!)
  if (x.includes(0n)) return 0n
  const ann = a100 * n
  const d = invariant(x, ann)
  // Prices per unit of 18 decimals, times 10^18 to stay integers.
  const high = sold.map((price, k) => price && (price * E18) / units[k]!)
  const low = bought.map((price, k) => (price ? divUp(price * E18 * (E10 - feeE10), units[k]! * E10) : 0n))
  const scale = [...high, ...low].reduce<bigint>((max, price) => (price && price > max ? price : max), 1n)
  const fractions = (values: List<bigint | null>, factor: bigint) =>
    values.map((value) => (value === null ? Number.POSITIVE_INFINITY : Number((value << 120n) / factor) / 2 ** 120))
  const minimizer = minimizeBound(fractions(x, d), Number(ann) / 100, fractions(low, scale), fractions(high, scale))
  const toFixedPoint = (value: number) => (BigInt(Math.round(value * 2 ** 100)) * scale) >> 100n
  const min = (a: bigint, b: bigint) => (a < b ? a : b)
  const q = minimizer.q.map((value, k) => -min(-min(toFixedPoint(value), high[k] ?? toFixedPoint(value)), -low[k]!))
  const mu = toFixedPoint(minimizer.mu / 100)
  const netPrices = q.map((price) => price - mu * ann)
  const product = netPrices.reduce((all, netPrice) => all * netPrice, 100n * mu) / n ** n
  const isSound = mu > 0n && netPrices.every((net) => net > 0n) && q.every((price, k) => price <= (high[k] ?? price))
  if (!isSound) throw notCheckable('out of reach', 'a stable pool has no prices between its bounds')
  const value = mu * (ann - 100n) + (n + 1n) * rootDown(product, n + 1n)
  const earned = sumOf(q.map((price, k) => price * x[k]!)) - (d - ROUNDINGS) * value
  return earned > 0n ? divUp(earned, E18) : 0n
}

/** Returns the largest D with ann·Σx ≥ (ann − 1)·D + D^(n+1)/(n^n·Πx), rounded down; `ann` is a hundred times A·n. */
function invariant(x: readonly bigint[], ann: bigint): bigint {
  const n = BigInt(x.length)
  const sum = sumOf(x)
  const product = x.reduce((all, factor) => all * factor, n ** n)
  const excess = (d: bigint) => 100n * d ** (n + 1n) + (ann - 100n) * d * product - ann * sum * product
  // The function is convex and D is at most the sum, so Newton's method converges from above.
  let d = sum
  for (let step = 0; step < 512 && excess(d) > 0n; step++) {
    const fall = excess(d) / (100n * (n + 1n) * d ** n + (ann - 100n) * product)
    d -= fall > 0n ? fall : 1n
  }
  if (excess(d) > 0n || d <= ROUNDINGS) throw notCheckable('out of reach', 'a stable pool is too far out of balance')
  return d
}

/**
 * Finds μ and q that nearly minimize the bound. Uses floats, because the bound holds for any μ and q. Balances are
 * fractions of D.
 */
function minimizeBound(x: List<number>, ann: number, low: List<number>, high: List<number>) {
  const n = x.length
  /** Returns q − μ·ann for each token: proportional to 1 / balance, clamped to the price bounds. */
  const weightsAt = (mu: number, t: number) =>
    x.map((balance, k) => Math.max(low[k]! - mu * ann, Math.min(high[k]! - mu * ann, t / balance)))
  const bestT = (mu: number) => {
    const isBelow = (log: number) =>
      Math.log(weightsAt(mu, Math.exp(log)).reduce((all, weight) => (all * weight) / n, mu)) > (n + 1) * log
    return Math.exp(bisect(-80, 20, isBelow))
  }
  // The bound is convex in both variables, so its slope in μ at the best q changes sign once.
  const mu = bisect(0, Math.min(...high) / ann, (trialMu) => {
    const t = bestT(trialMu)
    return ann - 1 + t * weightsAt(trialMu, t).reduce((all, weight) => all - ann / weight, 1 / trialMu) > 0
  })
  return { mu, q: weightsAt(mu, bestT(mu)).map((weight) => weight + mu * ann) }
}

function bisect(low: number, high: number, isBelow: (value: number) => boolean): number {
  let [from, size] = [low, high - low]
  for (let step = 0; step < 80; step++) {
    size /= 2
    if (isBelow(from + size)) from += size
  }
  return from
}
