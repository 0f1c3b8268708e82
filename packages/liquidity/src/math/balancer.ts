/** Weighted and stable pools as Balancer V2 computes them. Numbers have 18 decimals unless said otherwise. */
import { PoolRefusal } from '../family.ts'
import { END_MARGIN } from './curve-end.ts'
import { divUp } from './integers.ts'
import { pow } from './log-exp.ts'
import { evenTradingFunction, stableLevel, type TradingFunction, weightedLevel } from './trading-function.ts'

export const ONE = 10n ** 18n

export const mulDown = (a: bigint, b: bigint): bigint => (a * b) / ONE
export const mulUp = (a: bigint, b: bigint): bigint => divUp(a * b, ONE)
export const divDown = (a: bigint, b: bigint): bigint => (a * ONE) / b
export const divUpFixed = (a: bigint, b: bigint): bigint => divUp(a * ONE, b)

/** Parts of 10^18 by which a power may be too low. */
const MAX_POW_ERROR = 10_000n
/** A swap takes at most this part of the balance of its input. */
export const MAX_IN_RATIO = (3n * ONE) / 10n

/** x^y, rounded down; small whole powers are multiplied out. */
export function powDown(x: bigint, y: bigint): bigint {
  if (y === ONE) return x
  if (y === 2n * ONE) return mulDown(x, x)
  if (y === 4n * ONE) return mulDown(mulDown(x, x), mulDown(x, x))
  const raw = pow(x, y)
  const error = mulUp(raw, MAX_POW_ERROR) + 1n
  return raw < error ? 0n : raw - error
}

/**
 * x^y, rounded up. @param exact - whether small whole powers are multiplied out, as pools after the first version do
 */
function powUp(x: bigint, y: bigint, exact: boolean): bigint {
  if (exact && y === ONE) return x
  if (exact && y === 2n * ONE) return mulUp(x, x)
  if (exact && y === 4n * ONE) return mulUp(mulUp(x, x), mulUp(x, x))
  const raw = pow(x, y)
  return raw + mulUp(raw, MAX_POW_ERROR) + 1n
}

/**
 * The output of an exact input, fee already taken, in a weighted pool.
 *
 * @see WeightedMath._calcOutGivenIn, balancer/balancer-v2-monorepo
 */
export function weightedOut(
  balanceIn: bigint,
  weightIn: bigint,
  balanceOut: bigint,
  weightOut: bigint,
  amountIn: bigint,
  exactPowers: boolean,
): bigint {
  if (amountIn > mulDown(balanceIn, MAX_IN_RATIO)) throw new PoolRefusal('TOO_LARGE', 'more than 30 % of the balance')
  const base = divUpFixed(balanceIn, balanceIn + amountIn)
  const power = powUp(base, divDown(weightIn, weightOut), exactPowers)
  return mulDown(balanceOut, power < ONE ? ONE - power : 0n)
}

/** An output is at most this part of its balance. */
const MAX_OUT_RATIO = (3n * ONE) / 10n

/**
 * Returns the input of an exact output in a weighted pool, before the fee; null above 30 % of the balance.
 *
 * @see WeightedMath._calcInGivenOut, balancer/balancer-v2-monorepo
 */
export function weightedIn(
  balanceIn: bigint,
  weightIn: bigint,
  balanceOut: bigint,
  weightOut: bigint,
  amountOut: bigint,
  exactPowers: boolean,
): bigint | null {
  if (amountOut > mulDown(balanceOut, MAX_OUT_RATIO)) return null
  const base = divUpFixed(balanceOut, balanceOut - amountOut)
  const power = powUp(base, divUpFixed(weightOut, weightIn), exactPowers)
  return mulUp(balanceIn, power - ONE)
}

/** In which the amplification is kept. */
export const AMP_PRECISION = 1000n
const MAX_STEPS = 255

/** The invariant of the first stable pools, which round it up. @see StableMath._calculateInvariant with roundUp */
export function roundedUpInvariant(balances: readonly bigint[], amp: bigint): bigint {
  const n = BigInt(balances.length)
  const sum = balances.reduce((total, balance) => total + balance, 0n)
  const total = amp * n
  let d = sum
  for (let i = 0; i < MAX_STEPS; i++) {
    let product = balances[0]! * n
    for (const balance of balances.slice(1)) product = divUp(product * balance * n, d)
    const before = d
    d = divUp(
      n * d * d + divUp(total * sum * product, AMP_PRECISION),
      (n + 1n) * d + ((total - AMP_PRECISION) * product) / AMP_PRECISION,
    )
    if (near(d, before)) return d
  }
  throw new PoolRefusal('UNSUPPORTED', 'the invariant does not converge')
}

/**
 * The balance of token `index` that keeps the invariant.
 *
 * @param version - of Balancer: the third divides once where the second divides and multiplies
 * @see StableMath._getTokenBalanceGivenInvariantAndAllOtherBalances of V2, StableMath.computeBalance of V3
 */
export function stableBalanceUp(balances: readonly bigint[], amp: bigint, d: bigint, index: number, version: 2 | 3) {
  const n = BigInt(balances.length)
  const total = amp * n
  let product = balances[0]! * n
  for (const balance of balances.slice(1)) product = (product * balance * n) / d
  const sum = balances.reduce((all, balance) => all + balance, 0n) - balances[index]!
  const square = d * d
  const perBalance =
    version === 2 ? divUp(square, total * product) * AMP_PRECISION : divUp(square * AMP_PRECISION, total * product)
  const c = perBalance * balances[index]!
  const b = sum + (version === 2 ? (d / total) * AMP_PRECISION : (d * AMP_PRECISION) / total)
  let y = divUp(square + c, d + b)
  for (let i = 0; i < MAX_STEPS; i++) {
    const before = y
    y = divUp(y * y + c, 2n * y + b - d)
    if (near(y, before)) return y
  }
  throw new PoolRefusal('UNSUPPORTED', 'the balance does not converge')
}

const near = (a: bigint, b: bigint) => (a > b ? a - b : b - a) <= 1n

/** The same as a float, less what rounding needs: a search that goes to the limit must not end above it. */
const MOST_SOLD = 0.3 * (1 - END_MARGIN)

type Balances = {
  /** 18 decimals of the common unit. */
  readonly live: readonly bigint[]
  /** Common units of a base unit, by token. */
  readonly units: Float64Array
  readonly swapFee: bigint
}

/** @param weights - by token; they add up to one */
export function weightedTradingFunction(pool: Balances, weights: readonly bigint[]): TradingFunction {
  const floats = Float64Array.from(weights, toFloat)
  return { ...inFloats(pool), invariant: weightedLevel, weights: floats, mostSold: MOST_SOLD }
}

export function stableTradingFunction(pool: Balances, amp: bigint, d: bigint): TradingFunction {
  const coins = pool.live.length
  const ann = (Number(amp) * coins) / Number(AMP_PRECISION)
  return evenTradingFunction(stableLevel(ann, Number(d), coins), inFloats(pool))
}

const inFloats = ({ live, units, swapFee }: Balances) => ({
  balances: Float64Array.from(live, Number),
  units,
  keepIn: 1 - toFloat(swapFee),
  keepOut: 1,
  fixedFee: true,
})

const toFloat = (fixed: bigint): number => Number(fixed) / Number(ONE)
