/**
 * Computes upper bounds on the earnings of a trader in pools at given token prices. Prices are integers, and earnings
 * are base units times prices, rounded up. `priceIn` is the cost of a base unit that is sold to the pool, and
 * `priceOut` is the value of a base unit that the pool pays. README.md derives the formulas.
 */
import { notCheckable } from './certificate.ts'

/** Denominators of ppm, of √prices of Uniswap v3, of StableSwap fees, and of 18 decimals. */
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

/**
 * Returns the maximum earnings in a constant-product pool; 0 if no trade earns. Let x and y be the reserves of the sold
 * and the bought token, and γ = 1 − fee (`net` in ppm). For an input d, a trade earns priceOut·y·γd/(x + γd) −
 * priceIn·d. The maximum over d is (√(priceOut·y) − √(priceIn·x/γ))².
 */
export function boundProduct(x: bigint, y: bigint, feePpm: bigint, priceIn: bigint, priceOut: bigint): bigint {
  const net = PPM - feePpm
  if (priceOut * y * net <= priceIn * x * PPM) return 0n
  return priceOut * y + divUp(priceIn * x * PPM, net) - rootDown((4n * priceOut * y * priceIn * x * PPM) / net, 2n)
}

/**
 * Returns functions that compute the earnings of a trade in one direction through concentrated liquidity, piece by
 * piece. A piece is a price range with constant liquidity.
 *
 * @param zeroForOne - true if token 0 is sold
 */
export function concentratedTrade(zeroForOne: boolean, feePpm: bigint, priceIn: bigint, priceOut: bigint) {
  const net = PPM - feePpm
  /** √price in the direction of the trade (bought per sold token), as a fraction [numerator, denominator]. */
  const ratioAt = (sqrtPrice: bigint) => (zeroForOne ? [sqrtPrice, Q96] : [Q96, sqrtPrice]) as [bigint, bigint]
  /**
   * Returns true if a further unit of input is profitable at a √price with 96 fractional bits. False for 0, the √price
   * of a pool that was never initialized: swaps in it revert.
   */
  const isProfitable = (sqrtPrice: bigint) => {
    const [num, den] = ratioAt(sqrtPrice)
    return sqrtPrice > 0n && priceOut * num ** 2n * net > priceIn * den ** 2n * PPM
  }
  /** Returns the earnings in a piece between two √prices. `isEnd` is true if the trade ends within the piece. */
  const earnInPiece = (liquidity: bigint, from: bigint, to: bigint) => {
    const [[num, den], [endNum, endDen]] = [ratioAt(from), ratioAt(to)]
    const start = divUp(priceOut * liquidity * num, den) + divUp(priceIn * liquidity * den * PPM, num * net)
    const isEnd = !isProfitable(to)
    const endValue = isEnd
      ? rootDown((4n * liquidity ** 2n * priceOut * priceIn * PPM) / net, 2n)
      : (priceOut * liquidity * endNum) / endDen + (priceIn * liquidity * endDen * PPM) / (endNum * net)
    return { earned: start - endValue, isEnd }
  }
  return { isProfitable, earnInPiece }
}

/** Maximum absolute tick of Uniswap v3. */
export const MAX_TICK = 887_272
/** √(1.0001^(−2^k)) with 128 fractional bits, for k from 0 to 19, as in TickMath of Uniswap v3-core. */
const FACTORS: bigint[] = []
for (let power = rootDown((10_000n << 1_024n) / 10_001n, 2n); FACTORS.length < 20; power = (power ** 2n) >> 512n)
  FACTORS.push(((power >> 383n) + 1n) >> 1n)

/** Returns √(1.0001^tick) with 96 fractional bits, rounded like TickMath. */
export function sqrtRatioAtTick(tick: number): bigint {
  const absTick = Math.abs(tick)
  const ratio = FACTORS.reduce((all, factor, k) => (absTick & (1 << k) ? (all * factor) >> 128n : all), 1n << 128n)
  return ((tick > 0 ? ((1n << 256n) - 1n) / ratio : ratio) + 0xffffffffn) >> 32n
}

type List<T> = readonly T[]
/**
 * A StableSwap pool. `units` are the factors that scale balances to 18 decimals; `a100` is 100·A, as in `A_precise`;
 * `feeE10` is the fee times 10^10.
 */
type StablePool = { balances: List<bigint>; units: List<bigint>; a100: bigint; feeE10: bigint }
/** Maximum amount by which rounding in the pool can lower its invariant D, in units of 18 decimals. */
const MAX_ROUNDING = 16n

/**
 * Returns an upper bound on the total earnings of all swaps in a StableSwap pool. The bound is Σ q·x − D·v(μ, q), with
 * the balances x and the invariant D. It holds for any μ, and for any values q of the tokens between (1 − fee) times
 * their `pricesOut` and their `pricesIn`. README.md defines v.
 *
 * @param pricesIn - by token: price if it may be sold to the pool, else null
 * @param pricesOut - by token: price if it may be bought from the pool, else null
 * @throws CheckFailure if the pool is too far out of balance
 */
export function boundStable(pool: StablePool, pricesIn: List<bigint | null>, pricesOut: List<bigint | null>): bigint {
  const { balances, units, a100, feeE10 } = pool
  const n = BigInt(units.length)
  const x = balances.map((balance, k) => balance * units[k]!)
  if (x.includes(0n)) return 0n
  const ann100 = a100 * n
  const d = invariant(x, ann100)
  // The bounds of q are prices of a unit of 18 decimals. The factor 10^18 keeps them integers.
  const maxQ = pricesIn.map((price, k) => price && (price * E18) / units[k]!)
  const minQ = pricesOut.map((price, k) => (price ? divUp(price * E18 * (E10 - feeE10), units[k]! * E10) : 0n))
  const scale = [...maxQ, ...minQ].reduce<bigint>((max, price) => (price && price > max ? price : max), 1n)
  const fractions = (values: List<bigint | null>, factor: bigint) =>
    values.map((value) => (value === null ? Number.POSITIVE_INFINITY : Number((value << 120n) / factor) / 2 ** 120))
  const minimizer = minimizeBound(fractions(x, d), Number(ann100) / 100, fractions(minQ, scale), fractions(maxQ, scale))
  // The value of a token with hardly any balance may be infinite. Any value gives a valid bound, so it is cut.
  const toFixedPoint = (value: number) => (BigInt(Math.round(Math.min(value, 2 ** 500) * 2 ** 100)) * scale) >> 100n
  const min = (a: bigint, b: bigint) => (a < b ? a : b)
  const q = minimizer.q.map((value, k) => -min(-min(toFixedPoint(value), maxQ[k] ?? toFixedPoint(value)), -minQ[k]!))
  const mu = toFixedPoint(minimizer.mu / 100)
  const netPrices = q.map((price) => price - mu * ann100)
  const product = netPrices.reduce((all, netPrice) => all * netPrice, 100n * mu) / n ** n
  const isSound = mu > 0n && netPrices.every((net) => net > 0n) && q.every((price, k) => price <= (maxQ[k] ?? price))
  if (!isSound) throw notCheckable('out of reach', 'a stable pool has no prices between its bounds')
  const v = mu * (ann100 - 100n) + (n + 1n) * rootDown(product, n + 1n)
  const earned = sumOf(q.map((price, k) => price * x[k]!)) - (d - MAX_ROUNDING) * v
  return earned > 0n ? divUp(earned, E18) : 0n
}

/**
 * Returns the largest integer D with A·n·Σx ≥ (A·n − 1)·D + D^(n+1)/(n^n·Πx), for the balances x. The parameter
 * `ann100` is 100·A·n.
 */
function invariant(x: readonly bigint[], ann100: bigint): bigint {
  const [n, sum] = [BigInt(x.length), sumOf(x)]
  const product = x.reduce((all, factor) => all * factor, n ** n)
  const excess = (d: bigint) => 100n * d ** (n + 1n) + (ann100 - 100n) * d * product - ann100 * sum * product
  // `excess` is convex, and its root D is at most the sum, so Newton's method converges from above.
  let d = sum
  for (let step = 0; step < 512 && excess(d) > 0n; step++) {
    const fall = excess(d) / (100n * (n + 1n) * d ** n + (ann100 - 100n) * product)
    d -= fall > 0n ? fall : 1n
  }
  if (excess(d) > 0n || d <= MAX_ROUNDING) throw notCheckable('out of reach', 'a stable pool is too far out of balance')
  return d
}

/**
 * Finds μ and q that nearly minimize the bound. Floats are precise enough, because the bound holds for any μ and q.
 * `x` are the balances as fractions of D, and `ann` is A·n.
 */
function minimizeBound(x: List<number>, ann: number, minQ: List<number>, maxQ: List<number>) {
  const n = x.length
  /**
   * Returns the best q − μ·ann of each token for a given value t of the (n+1)-th root in v: t / balance, limited to the
   * bounds of q.
   */
  const netPricesAt = (mu: number, t: number) =>
    x.map((balance, k) => Math.max(minQ[k]! - mu * ann, Math.min(maxQ[k]! - mu * ann, t / balance)))
  const bestT = (mu: number) => {
    const isBelow = (logT: number) =>
      Math.log(netPricesAt(mu, Math.exp(logT)).reduce((all, netPrice) => (all * netPrice) / n, mu)) > (n + 1) * logT
    return Math.exp(bisect(-80, 20, isBelow))
  }
  // The bound is convex in μ and q, so its slope in μ at the best q changes its sign once.
  const mu = bisect(0, Math.min(...maxQ) / ann, (trialMu) => {
    const t = bestT(trialMu)
    return ann - 1 + t * netPricesAt(trialMu, t).reduce((all, netPrice) => all - ann / netPrice, 1 / trialMu) > 0
  })
  return { mu, q: netPricesAt(mu, bestT(mu)).map((netPrice) => netPrice + mu * ann) }
}

/** Returns the number between two limits up to which `isBelow` is true. */
function bisect(low: number, high: number, isBelow: (value: number) => boolean): number {
  let [from, size] = [low, high - low]
  for (let step = 0; step < 80; step++) {
    size /= 2
    if (isBelow(from + size)) from += size
  }
  return from
}
