/**
 * Exact math of Balancer's weighted and stable pools, with the contracts' roundings. Numbers have 18 decimals unless
 * noted. The trading functions at the end of the file are floats for the route search.
 */
import { PoolRefusal } from '../family.ts'
import { END_MARGIN } from './curve-end.ts'
import { divUp, isConverged } from './integers.ts'
import { pow } from './log-exp.ts'
import { checkedProduct } from './stable-swap.ts'
import {
  equalWeightTradingFunction,
  stableSwapInvariant,
  type TradingFunction,
  weightedInvariant,
} from './trading-function.ts'

/** Fixed-point one. */
export const ONE = 10n ** 18n

/** Products and quotients of numbers with 18 decimals. The names contain the direction of rounding. */
export const mulDown = (a: bigint, b: bigint): bigint => (a * b) / ONE
export const mulUp = (a: bigint, b: bigint): bigint => divUp(a * b, ONE)
export const divDown = (a: bigint, b: bigint): bigint => (a * ONE) / b
export const divUpFixed = (a: bigint, b: bigint): bigint => divUp(a * ONE, b)

/** Upper bound of the relative error of `pow`, in units of 10^−18. */
const MAX_POW_ERROR = 10_000n
/** Maximum input of a swap, as a fraction of the input token's balance. */
export const MAX_IN_RATIO = (3n * ONE) / 10n

/** Returns x^y, rounded down. Computes exponents 1, 2, and 4 by multiplication. */
export function powDown(x: bigint, y: bigint): bigint {
  if (y === ONE) return x
  if (y === 2n * ONE) return mulDown(x, x)
  if (y === 4n * ONE) return mulDown(mulDown(x, x), mulDown(x, x))
  const approximatePower = pow(x, y)
  const error = mulUp(approximatePower, MAX_POW_ERROR) + 1n
  return approximatePower < error ? 0n : approximatePower - error
}

/**
 * Returns x^y, rounded up.
 *
 * @param hasExactPowers - true to compute exponents 1, 2, and 4 by multiplication, as all but the first pool version do
 */
function powUp(x: bigint, y: bigint, hasExactPowers: boolean): bigint {
  if (hasExactPowers && y === ONE) return x
  if (hasExactPowers && y === 2n * ONE) return mulUp(x, x)
  if (hasExactPowers && y === 4n * ONE) return mulUp(mulUp(x, x), mulUp(x, x))
  const approximatePower = pow(x, y)
  return approximatePower + mulUp(approximatePower, MAX_POW_ERROR) + 1n
}

/**
 * Returns the output of an exact input in a weighted pool.
 *
 * @param amountIn - after the fee
 * @param hasExactPowers - as in `powUp`
 * @throws PoolRefusal `TOO_LARGE` above `MAX_IN_RATIO` of the balance
 * @see WeightedMath._calcOutGivenIn, balancer/balancer-v2-monorepo
 */
export function weightedAmountOut(
  balanceIn: bigint,
  weightIn: bigint,
  balanceOut: bigint,
  weightOut: bigint,
  amountIn: bigint,
  hasExactPowers: boolean,
): bigint {
  if (amountIn > mulDown(balanceIn, MAX_IN_RATIO)) throw new PoolRefusal('TOO_LARGE', 'more than 30 % of the balance')
  const base = divUpFixed(balanceIn, balanceIn + amountIn)
  const power = powUp(base, divDown(weightIn, weightOut), hasExactPowers)
  return mulDown(balanceOut, power < ONE ? ONE - power : 0n)
}

/** Maximum output of a swap, as a fraction of the output token's balance. */
const MAX_OUT_RATIO = (3n * ONE) / 10n

/**
 * Returns the input, without the fee, that buys an exact output in a weighted pool. Returns null for an output above
 * `MAX_OUT_RATIO` of the balance.
 *
 * @param hasExactPowers - as in `powUp`
 * @see WeightedMath._calcInGivenOut, balancer/balancer-v2-monorepo
 */
export function weightedAmountIn(
  balanceIn: bigint,
  weightIn: bigint,
  balanceOut: bigint,
  weightOut: bigint,
  amountOut: bigint,
  hasExactPowers: boolean,
): bigint | null {
  if (amountOut > mulDown(balanceOut, MAX_OUT_RATIO)) return null
  const base = divUpFixed(balanceOut, balanceOut - amountOut)
  const power = powUp(base, divUpFixed(weightOut, weightIn), hasExactPowers)
  return mulUp(balanceIn, power - ONE)
}

/** Fixed-point one of the amplification coefficient (`amp`). */
export const AMP_PRECISION = 1000n
const MAX_NEWTON_STEPS = 255

/**
 * Returns the invariant of a stable pool, rounded up, as the first stable pools of Balancer V2 compute it.
 *
 * @see StableMath._calculateInvariant with roundUp
 */
export function roundedUpInvariant(balances: readonly bigint[], amp: bigint): bigint {
  const n = BigInt(balances.length)
  const sum = balances.reduce((total, balance) => total + balance, 0n)
  const ampTimesCoins = amp * n
  let d = sum
  for (let i = 0; i < MAX_NEWTON_STEPS; i++) {
    let product = balances[0]! * n
    for (const balance of balances.slice(1)) product = divUp(checkedProduct(product * balance * n), d)
    const previousD = d
    d = divUp(
      checkedProduct(n * d * d + divUp(checkedProduct(ampTimesCoins * sum * product), AMP_PRECISION)),
      (n + 1n) * d + ((ampTimesCoins - AMP_PRECISION) * product) / AMP_PRECISION,
    )
    if (isConverged(d, previousD)) return d
  }
  throw new PoolRefusal('UNSUPPORTED', 'the invariant does not converge')
}

/**
 * Returns the balance of token `index` at which a stable pool keeps its invariant `d`, rounded up.
 *
 * @param version - Balancer version: V2 divides before it multiplies, V3 multiplies before it divides
 * @see StableMath._getTokenBalanceGivenInvariantAndAllOtherBalances of V2, StableMath.computeBalance of V3
 */
export function stableBalanceUp(balances: readonly bigint[], amp: bigint, d: bigint, index: number, version: 2 | 3) {
  const n = BigInt(balances.length)
  const ampTimesCoins = amp * n
  let product = balances[0]! * n
  for (const balance of balances.slice(1)) product = checkedProduct(product * balance * n) / d
  const sum = balances.reduce((partialSum, balance) => partialSum + balance, 0n) - balances[index]!
  const square = d * d
  const divisor = checkedProduct(ampTimesCoins * product)
  const perBalance =
    version === 2
      ? divUp(checkedProduct(square), divisor) * AMP_PRECISION
      : divUp(checkedProduct(square * AMP_PRECISION), divisor)
  // Solve y² + (b − d)·y = c for the balance y by Newton's method.
  const c = checkedProduct(perBalance * balances[index]!)
  const b = sum + (version === 2 ? (d / ampTimesCoins) * AMP_PRECISION : (d * AMP_PRECISION) / ampTimesCoins)
  let y = divUp(checkedProduct(square + c), d + b)
  for (let i = 0; i < MAX_NEWTON_STEPS; i++) {
    const previousY = y
    y = divUp(checkedProduct(y * y + c), 2n * y + b - d)
    if (isConverged(y, previousY)) return y
  }
  throw new PoolRefusal('UNSUPPORTED', 'the balance does not converge')
}

/** `MAX_IN_RATIO` as a float, less a margin that keeps rounded inputs below the pool's limit. */
const MAX_INPUT_SHARE = 0.3 * (1 - END_MARGIN)

/** Fields of a weighted or stable pool from which its trading function is built. */
type ScaledPool = {
  /** Balances by token, scaled so that all tokens have one common unit. */
  readonly liveBalances: readonly bigint[]
  /** Scaling factor of each token: common units per base unit. */
  readonly units: Float64Array
  /** Fraction of the input, 18 decimals. */
  readonly swapFee: bigint
}

/** Returns the trading function of a weighted pool. @param weights - by token, 18 decimals; their sum is 1 */
export function weightedTradingFunction(pool: ScaledPool, weights: readonly bigint[]): TradingFunction {
  const floats = Float64Array.from(weights, toFloat)
  return { ...floatFields(pool), invariant: weightedInvariant, weights: floats, maxInputShare: MAX_INPUT_SHARE }
}

/**
 * Returns the trading function of a stable pool.
 *
 * @param amp - amplification, in units of 1 / `AMP_PRECISION`
 * @param d - invariant of the pool, in the common unit
 */
export function stableTradingFunction(pool: ScaledPool, amp: bigint, d: bigint): TradingFunction {
  const coins = pool.liveBalances.length
  const ann = (Number(amp) * coins) / Number(AMP_PRECISION)
  return equalWeightTradingFunction(stableSwapInvariant(ann, Number(d), coins), floatFields(pool))
}

/** Returns the fields of a trading function that both kinds of pools compute in the same way. */
const floatFields = ({ liveBalances, units, swapFee }: ScaledPool) => ({
  balances: Float64Array.from(liveBalances, Number),
  units,
  keepIn: 1 - toFloat(swapFee),
  keepOut: 1,
  hasFixedFee: true,
})

const toFloat = (fixed: bigint): number => Number(fixed) / Number(ONE)
