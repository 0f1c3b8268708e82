/**
 * The optimal trade of a pool of several tokens at given prices: the balances on its trading function at which no
 * further trade pays. Selling a token to the pool lowers its marginal value there; it is sold until that value falls to
 * its cost, bought until that value rises to `priceOut`, and left alone in between.
 *
 * With λ as the value of the trading function's level, the marginal value of a token is λ·(linear + logarithmic ·
 * weight / x). It equals a price c at x = weight / (c·v − r), with v = 1 / (λ·logarithmic) and r = linear /
 * logarithmic. The unknowns are therefore v and u = min·v − r, which keeps all denominators u + (c − min)·v positive.
 */
import { marginalValues, sumsOf, type TradingFunction } from '@sluice/liquidity'
import {
  TRADE_FIRST_STEP,
  TRADE_GROWTH,
  TRADE_MAX_MOVE,
  TRADE_MAX_STEP,
  TRADE_MIN_FACTOR,
  TRADE_MIN_STEP,
  TRADE_MIN_U,
  TRADE_ROUNDING,
  TRADE_SMALL,
  TRADE_STEPS,
  TRADE_TOLERANCE,
} from '../tolerances.ts'

export class OptimalTrade {
  /**
   * By token, price of a common unit sold to the pool, and of one bought from it. ∞ and 0 if the token must not be sold
   * or bought.
   */
  readonly priceIn: Float64Array
  readonly priceOut: Float64Array
  /** Balances at the end of the trade, in common units. */
  readonly balances: Float64Array
  /** Response of a balance to its token's price: −∂x / ∂ln c, times that price; 0 for tokens that do not trade. */
  readonly conductance: Float64Array

  private readonly tradingFunction: TradingFunction
  private readonly level: number
  /** Marginal values before the trade. */
  private readonly values: Float64Array
  private readonly max: Float64Array
  /** Lowest price, subtracted from all prices. */
  private min = 0
  /** Lower bound of u. */
  private readonly floor: number
  private u = 0
  private v = 0
  /** ∂mismatch / ∂v at the previous prices; 0 at first. */
  private slope = 0
  private sum = 0
  /** Number of balance evaluations of the last trade; a measure of its work. */
  evaluations = 0
  private logs = 0

  constructor(tradingFunction: TradingFunction) {
    const { balances, invariant, maxInputShare } = tradingFunction
    const { sum, logSum: logs } = sumsOf(tradingFunction, balances)
    this.tradingFunction = tradingFunction
    this.level = invariant.level(sum, logs)
    this.values = marginalValues(tradingFunction, balances)
    this.floor = TRADE_MIN_U * heaviest(tradingFunction)
    this.max = balances.map((balance) => balance * (1 + maxInputShare))
    this.priceIn = new Float64Array(balances.length)
    this.priceOut = new Float64Array(balances.length)
    this.conductance = new Float64Array(balances.length)
    this.balances = balances.slice()
  }

  /** Solves for the prices in `priceIn` and `priceOut`. Returns false if no trade pays. */
  solve(): boolean {
    const { priceIn, priceOut, values, conductance, balances, tradingFunction } = this
    this.evaluations = 0
    let sells = 0
    let buys = Number.POSITIVE_INFINITY
    this.min = Number.POSITIVE_INFINITY
    for (let k = 0; k < values.length; k++) {
      sells = Math.max(sells, values[k]! / priceIn[k]!)
      buys = Math.min(buys, values[k]! / priceOut[k]!)
      this.min = Math.min(this.min, priceOut[k]! > 0 ? priceOut[k]! : priceIn[k]!)
    }
    if (!(sells > buys)) {
      balances.set(tradingFunction.balances)
      conductance.fill(0)
      return false
    }
    if (!(this.v > 0)) this.guess(Math.sqrt(sells * buys))
    this.v = this.root(this.v)
    for (let k = 0; k < values.length; k++) conductance[k] = this.conductanceOf(k)
    return true
  }

  /** Relative error of the last trade on the trading function or in its prices. Negligible unless the search failed. */
  get miss(): number {
    const { tradingFunction, balances } = this
    const { invariant, weights } = tradingFunction
    const { sum, logSum: logs } = sumsOf(tradingFunction, balances)
    const [linear, logarithmic] = [invariant.derivativeBySum(sum, logs), invariant.derivativeByLogSum(sum, logs)]
    const scale = weights.reduce((all, weight, k) => all + linear * balances[k]! + logarithmic * weight, 0)
    const ratio = linear / logarithmic
    const off = Math.abs(this.min * this.v - this.u - ratio) / Math.max(ratio, this.u)
    return Math.max(Math.abs(invariant.level(sum, logs) - this.level) / scale, off)
  }

  /**
   * Ratio by which each token's marginal value changed from before to after the trade. The rate of a pair changes by
   * the ratio of two of them.
   */
  valuesMoved(): Float64Array {
    return marginalValues(this.tradingFunction, this.balances).map((value, k) => value / this.values[k]!)
  }

  /** @param value - initial marginal value per unit of price */
  private guess(value: number): void {
    const { invariant } = this.tradingFunction
    const { sum, logSum: logs } = sumsOf(this.tradingFunction, this.tradingFunction.balances)
    const logarithmic = invariant.derivativeByLogSum(sum, logs)
    this.v = value / logarithmic
    const ratio = invariant.derivativeBySum(sum, logs) / logarithmic
    this.u = Math.max(heaviest(this.tradingFunction), this.min * this.v - ratio)
  }

  /**
   * Finds the v that matches the slopes of the trading function: secant steps until the sign changes, then within the
   * bracket.
   */
  private root(guess: number): number {
    let a = guess
    let mismatchA = this.mismatch(a)
    if (mismatchA === 0) return a
    // The mismatch rises with v, with about the same slope as at the previous prices.
    let b = within(a - mismatchA / this.slope, a, mismatchA)
    let mismatchB = this.mismatch(b)
    for (let k = 0; k < TRADE_STEPS && mismatchA < 0 === mismatchB < 0 && mismatchB !== 0; k++) {
      const next = b + TRADE_GROWTH * (b - a)
      a = b
      mismatchA = mismatchB
      b = within(next, a, mismatchA)
      mismatchB = this.mismatch(b)
    }
    // Regula falsi; the weight of the retained end is halved (Illinois algorithm).
    let moved = Number.POSITIVE_INFINITY
    for (let k = 0; k < TRADE_STEPS && mismatchB !== 0; k++) {
      this.slope = (mismatchB - mismatchA) / (b - a)
      const next = b - mismatchB / this.slope
      const before = moved
      moved = Math.abs(next - b)
      if (moved <= TRADE_TOLERANCE * b || (moved < TRADE_SMALL * b && moved >= before)) break
      const nextMismatch = this.mismatch(next)
      if (nextMismatch < 0 === mismatchB < 0) mismatchA /= 2
      else {
        a = b
        mismatchA = mismatchB
      }
      b = next
      mismatchB = nextMismatch
    }
    return b
  }

  /**
   * Difference between the assumed r and the r of the trading function at the balances for v; rises with v. Leaves the
   * balances there.
   */
  private mismatch(v: number): number {
    this.v = v
    this.reach(v)
    const { invariant } = this.tradingFunction
    return (
      this.min * v -
      this.u -
      invariant.derivativeBySum(this.sum, this.logs) / invariant.derivativeByLogSum(this.sum, this.logs)
    )
  }

  /**
   * Finds u for a v, and with it balances on the trading function: the level falls as u rises. Newton's method within a
   * bracket.
   */
  private reach(v: number): void {
    const { invariant } = this.tradingFunction
    let low = 0
    let high = Number.POSITIVE_INFINITY
    let moved = Number.POSITIVE_INFINITY
    for (let step = 0; step < TRADE_STEPS; step++) {
      const gives = this.place(v)
      const beyond = this.logs > invariant.maxLogSum
      const above = beyond ? Number.POSITIVE_INFINITY : invariant.level(this.sum, this.logs) - this.level
      if (above === 0) return
      if (above > 0) low = Math.max(low, this.u)
      else high = Math.min(high, this.u)
      const newton = this.u + above / gives
      const before = moved
      moved = Math.abs(newton - this.u)
      // Steps that no longer shrink are rounding.
      if (moved <= TRADE_ROUNDING * this.u || (moved < TRADE_SMALL * this.u && moved >= before)) return
      if (newton > low && newton < high && moved < TRADE_MAX_MOVE * this.u) this.u = newton
      else if (high < Number.POSITIVE_INFINITY) this.u = Math.sqrt(Math.max(low, this.u * TRADE_MIN_FACTOR) * high)
      else this.u /= TRADE_MIN_FACTOR
      if (this.u < this.floor) {
        this.u = this.floor
        this.place(v)
        return
      }
    }
  }

  /** Sets the balances for u and v. Returns the rate at which the level falls as u rises. */
  private place(v: number): number {
    const { balances, min, u, priceIn, priceOut, max } = this
    this.evaluations++
    const { weights, invariant, balances: start } = this.tradingFunction
    let sum = 0
    let logs = 0
    for (let k = 0; k < balances.length; k++) {
      const sold = weights[k]! / (u + (priceIn[k]! - min) * v)
      const bought = weights[k]! / (u + (priceOut[k]! - min) * v)
      balances[k] =
        sold > start[k]! ? Math.min(sold, max[k]!) : bought < start[k]! && priceOut[k]! > 0 ? bought : start[k]!
      sum += balances[k]!
      logs += weights[k]! * Math.log(balances[k]!)
    }
    this.sum = sum
    this.logs = logs
    const linear = invariant.derivativeBySum(sum, logs)
    const logarithmic = invariant.derivativeByLogSum(sum, logs)
    let gives = 0
    for (let k = 0; k < balances.length; k++) {
      if (!this.moves(k)) continue
      const x = balances[k]!
      gives += (linear + (logarithmic * weights[k]!) / x) * ((x * x) / weights[k]!)
    }
    return gives
  }

  private moves(k: number): boolean {
    return this.balances[k] !== this.tradingFunction.balances[k] && this.balances[k] !== this.max[k]
  }

  private conductanceOf(k: number): number {
    if (!this.moves(k)) return 0
    const price = this.balances[k]! > this.tradingFunction.balances[k]! ? this.priceIn[k]! : this.priceOut[k]!
    return (price * price * this.v * this.balances[k]! ** 2) / this.tradingFunction.weights[k]!
  }
}

/**
 * Next point of a search, on the side of `from` that reduces the mismatch, with a step between the minimum and the
 * maximum length.
 */
function within(next: number, from: number, mismatch: number): number {
  const step = mismatch < 0 ? next - from : from - next
  const length = step > 0 && step < Number.POSITIVE_INFINITY ? step : TRADE_FIRST_STEP * from
  const allowed = Math.min(TRADE_MAX_STEP * from, Math.max(TRADE_MIN_STEP * from, length))
  return mismatch < 0 ? from + allowed : from - allowed
}

const heaviest = ({ balances, weights }: TradingFunction): number =>
  balances.reduce((min, balance, k) => Math.min(min, weights[k]! / balance), Number.POSITIVE_INFINITY)
