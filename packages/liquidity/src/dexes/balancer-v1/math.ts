/**
 * Exact math of Balancer V1 pools. Follows BPool, BMath, and BNum of balancer-core. Checked against a real pool and its
 * bytecode. Fixed-point numbers have 18 decimals. `i` and `j` are the indices of the input and the output token.
 */
import { PoolRefusal } from '../../family.ts'
import { ONE, weightedTradingFunction } from '../../math/balancer.ts'
import { END_MARGIN } from '../../math/curve-end.ts'
import type { TradingFunction } from '../../math/trading-function.ts'

/** State of a finalized pool. Its weights and fee are immutable. Lists are in the order of the pool's tokens. */
export type BalancerV1State = {
  /** Base units that the pool has recorded. Tokens sent directly to the pool count only after a call of `gulp`. */
  readonly balances: readonly bigint[]
  /** Weights from 1 to 50, not normalized; 18 decimals. */
  readonly weights: readonly bigint[]
  /** Fraction of the input, 18 decimals. */
  readonly swapFee: bigint
}

const HALF = ONE / 2n
const WORD_LIMIT = 1n << 256n
/** The binomial series of a power ends with the first term below this value. */
const PRECISION = 10n ** 8n
/**
 * Maximum number of terms of the series. The base is at least two thirds, so each term is at most a third of the term
 * before it.
 */
const MAX_TERMS = 64n

/** Multiplies and rounds half up. */
function mul(a: bigint, b: bigint): bigint {
  const product = a * b + HALF
  if (product >= WORD_LIMIT) throw new PoolRefusal('TOO_LARGE', 'a product overflows 256 bits')
  return product / ONE
}

/** Divides and rounds half up. */
function div(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new PoolRefusal('TOO_SMALL', 'division by zero')
  const numerator = a * ONE + b / 2n
  if (numerator >= WORD_LIMIT) throw new PoolRefusal('TOO_LARGE', 'a dividend overflows 256 bits')
  return numerator / b
}

/**
 * Quotes an exact input.
 *
 * @throws PoolRefusal `TOO_LARGE` above half of the input balance; `TOO_SMALL` for no output, or if rounding would
 * favor the trader; `EMPTY`
 */
export function quote(
  state: BalancerV1State,
  i: number,
  j: number,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: BalancerV1State } {
  const { balances, weights, swapFee } = state
  const [balanceIn, balanceOut] = [balances[i]!, balances[j]!]
  if (balanceIn === 0n || balanceOut === 0n) throw new PoolRefusal('EMPTY', 'the pool lacks a token')
  if (amountIn > mul(balanceIn, HALF)) throw new PoolRefusal('TOO_LARGE', 'more than half of the input balance')
  const priceBefore = spotPrice(state, i, j)
  const base = div(balanceIn, balanceIn + mul(amountIn, ONE - swapFee))
  const amountOut = mul(balanceOut, ONE - pow(base, div(weights[i]!, weights[j]!)))
  const stateAfter = { ...state, balances: balances.with(i, balanceIn + amountIn).with(j, balanceOut - amountOut) }
  // The contract checks this too. The price never falls, because rounding is monotone. But `spotPrice` throws if the
  // new output balance is too small to divide by, as the contract reverts.
  if (spotPrice(stateAfter, i, j) < priceBefore)
    throw new PoolRefusal('TOO_SMALL', 'rounding would make the price better')
  if (priceBefore > div(amountIn, amountOut)) throw new PoolRefusal('TOO_SMALL', 'rounding would pay too much')
  return { amountOut, state: stateAfter }
}

/** Returns the approximate largest input of token `i` in base units. The pool may refuse it because of rounding. */
export const approximateMaxInput = ({ balances }: BalancerV1State, i: number): bigint => mul(balances[i]!, HALF)

/** Returns the price of token `j`: the input per unit of output, including the fee, 18 decimals. */
function spotPrice({ balances, weights, swapFee }: BalancerV1State, i: number, j: number): bigint {
  const ratio = div(div(balances[i]!, weights[i]!), div(balances[j]!, weights[j]!))
  return mul(ratio, div(ONE, ONE - swapFee))
}

/**
 * Returns base^exponent, as the product of two powers. The power of the exponent's integer part is computed by
 * squaring, and the power of its fraction by the binomial series. The base is at most one. It is at least two thirds,
 * because an input is at most half of the balance.
 */
function pow(base: bigint, exponent: bigint): bigint {
  const fraction = exponent % ONE
  const wholePower = integerPower(base, exponent / ONE)
  return fraction === 0n ? wholePower : mul(wholePower, fractionalPower(base, fraction))
}

/** Returns base^exponent for a whole number `exponent`, rounded as the contract does. */
function integerPower(base: bigint, exponent: bigint): bigint {
  let power = exponent % 2n === 0n ? ONE : base
  let square = base
  for (let n = exponent / 2n; n > 0n; n /= 2n) {
    square = mul(square, square)
    if (n % 2n === 1n) power = mul(power, square)
  }
  return power
}

/** Returns base^exponent: sums the terms of (1 + x)^exponent, until a term is below `PRECISION`. */
function fractionalPower(base: bigint, exponent: bigint): bigint {
  const x = base - ONE
  let term = ONE
  let sum = ONE
  let isNegative = false
  for (let k = 1n; term >= PRECISION; k++) {
    if (k > MAX_TERMS) throw new PoolRefusal('UNSUPPORTED', 'the series does not converge')
    const coefficient = exponent - (k - 1n) * ONE
    term = div(mul(term, mul(coefficient < 0n ? -coefficient : coefficient, x < 0n ? -x : x)), k * ONE)
    if (x < 0n !== coefficient < 0n) isNegative = !isNegative
    sum = isNegative ? sum - term : sum + term
  }
  return sum
}

/**
 * Maximum input as a fraction of the input balance. It is below the contract's limit by a rounding margin, so that
 * searches stay within the limit.
 */
const MAX_INPUT_SHARE = 0.5 * (1 - END_MARGIN)

/** Returns the pool as one function of its balances; null if it has an empty balance. */
export function tradingFunction({ balances, weights, swapFee }: BalancerV1State): TradingFunction | null {
  if (balances.includes(0n)) return null
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0n)
  // Balances stay in the base units of their tokens, because a weighted product needs no common unit.
  const pool = { liveBalances: balances, units: new Float64Array(balances.length).fill(1), swapFee }
  const normalizedWeights = weights.map((weight) => (weight * ONE) / totalWeight)
  return { ...weightedTradingFunction(pool, normalizedWeights), maxInputShare: MAX_INPUT_SHARE }
}
