/** Checked against answers of the genuine pool and its bytecode; BPool, BMath and BNum of balancer-core. Numbers have 18 decimals. */
import { PoolRefusal } from '../../family.ts'
import { ONE, weightedTradingFunction } from '../../math/balancer.ts'
import { END_MARGIN } from '../../math/curve-end.ts'
import type { TradingFunction } from '../../math/trading-function.ts'

/** A finalized pool, by token: neither weights nor the fee change any more. Fixed numbers have 18 decimals. */
export type BalancerV1State = {
  /** Base units that the pool counts; what was sent by mistake counts after `gulp` only. */
  readonly balances: readonly bigint[]
  /** Not normalized: from 1 to 50. */
  readonly weights: readonly bigint[]
  /** Part of the input. */
  readonly swapFee: bigint
}

const HALF = ONE / 2n
const WORDS = 1n << 256n
/** Terms of a series below are left out. */
const PRECISION = 10n ** 8n
/** Far more than a series ever has: with a base of two thirds each term is at most a third of the one before. */
const MOST_TERMS = 64n

/** Half up. */
function mul(a: bigint, b: bigint): bigint {
  const product = a * b + HALF
  if (product >= WORDS) throw new PoolRefusal('TOO_LARGE', 'a product is beyond a word')
  return product / ONE
}

/** Half up. */
function div(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new PoolRefusal('TOO_SMALL', 'a quotient by nothing')
  const scaled = a * ONE + b / 2n
  if (scaled >= WORDS) throw new PoolRefusal('TOO_LARGE', 'a quotient is beyond a word')
  return scaled / b
}

/**
 * The output of an exact input.
 *
 * @throws PoolRefusal `TOO_LARGE` above half of the balance; `TOO_SMALL` where nothing would come out, or so little that the pool's own
 *   rounding moves the price the wrong way; `EMPTY`
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
  if (amountIn > mul(balanceIn, HALF)) throw new PoolRefusal('TOO_LARGE', 'more than half of the balance')
  const priceBefore = spotPrice(state, i, j)
  const base = div(balanceIn, balanceIn + mul(amountIn, ONE - swapFee))
  const amountOut = mul(balanceOut, ONE - pow(base, div(weights[i]!, weights[j]!)))
  const after = { ...state, balances: balances.with(i, balanceIn + amountIn).with(j, balanceOut - amountOut) }
  // It cannot fall, since each rounding keeps the order of what is rounded; but of a balance of a few units there is none.
  if (spotPrice(after, i, j) < priceBefore) throw new PoolRefusal('TOO_SMALL', 'rounding would make the price better')
  if (priceBefore > div(amountIn, amountOut)) throw new PoolRefusal('TOO_SMALL', 'rounding would pay too much')
  return { amountOut, state: after }
}

/** The largest input of token `i`, unless the pool's own rounding refuses it. */
export const limitOf = ({ balances }: BalancerV1State, i: number): bigint => mul(balances[i]!, HALF)

/** Cost of one unit of the output, fee included. */
function spotPrice({ balances, weights, swapFee }: BalancerV1State, i: number, j: number): bigint {
  const ratio = div(div(balances[i]!, weights[i]!), div(balances[j]!, weights[j]!))
  return mul(ratio, div(ONE, ONE - swapFee))
}

/** A whole power by squares, times a broken one by the binomial series; the base is from two thirds, for half of a balance, to one. */
function pow(base: bigint, exponent: bigint): bigint {
  const broken = exponent % ONE
  const whole = wholePower(base, exponent / ONE)
  return broken === 0n ? whole : mul(whole, brokenPower(base, broken))
}

function wholePower(base: bigint, exponent: bigint): bigint {
  let power = exponent % 2n === 0n ? ONE : base
  let square = base
  for (let n = exponent / 2n; n > 0n; n /= 2n) {
    square = mul(square, square)
    if (n % 2n === 1n) power = mul(power, square)
  }
  return power
}

/** Σ of the terms of (1 + x)^exponent, each from the one before, until one is below `PRECISION`. */
function brokenPower(base: bigint, exponent: bigint): bigint {
  const x = base - ONE
  let term = ONE
  let sum = ONE
  let negative = false
  for (let k = 1n; term >= PRECISION; k++) {
    if (k > MOST_TERMS) throw new PoolRefusal('UNSUPPORTED', 'a series of too many terms')
    const c = exponent - (k - 1n) * ONE
    term = div(mul(term, mul(c < 0n ? -c : c, x < 0n ? -x : x)), k * ONE)
    if (x < 0n !== c < 0n) negative = !negative
    sum = negative ? sum - term : sum + term
  }
  return sum
}

/** The half that a pool takes, less what rounding needs: a search that goes to the limit must not end above it. */
const MOST_SOLD = 0.5 * (1 - END_MARGIN)

/** The pool as one function over its tokens; null where it lacks one. */
export function tradingFunction({ balances, weights, swapFee }: BalancerV1State): TradingFunction | null {
  if (balances.includes(0n)) return null
  const total = weights.reduce((sum, weight) => sum + weight, 0n)
  // Each token in its own base units: a product of powers knows no common one.
  const pool = { live: balances, units: new Float64Array(balances.length).fill(1), swapFee }
  const parts = weights.map((weight) => (weight * ONE) / total)
  return { ...weightedTradingFunction(pool, parts), mostSold: MOST_SOLD }
}
