/**
 * The optimal trade of a pool of several tokens at given prices: the balances on its trading function at which no
 * further trade earns anything. Selling a token to the pool lowers the token's marginal value in the pool. A token is
 * sold until this value falls to `priceIn`, or bought until this value rises to `priceOut`. It does not trade if its
 * value lies between the two prices.
 *
 * The level of the trading function, which a trade must not change, depends on two sums: `sum`, of the balances, and
 * `logSum`, of weight · ln balance. `linear` and `logarithmic` are its derivatives by these sums. Let λ be the price of
 * one unit of the level. The marginal value of a token with the balance x is then λ·(linear + logarithmic · weight /
 * x). It equals a price c if x = weight / (c·v − ratio), with v = 1 / (λ·logarithmic) and ratio = linear / logarithmic.
 * Let minPrice be the lowest price of a token. The unknowns are v and u = minPrice·v − ratio. The denominator is then u
 * + (c − minPrice)·v, which is positive for every u > 0. An outer search finds v; an inner search finds the u for each
 * v.
 */
import { marginalValues, sumsOf, type TradingFunction } from '@sluice/liquidity'
import {
  MAX_TRADE_STEPS,
  TRADE_FIRST_STEP,
  TRADE_MAX_MOVE,
  TRADE_MAX_STEP,
  TRADE_MIN_FACTOR,
  TRADE_MIN_STEP,
  TRADE_MIN_U,
  TRADE_ROUNDING,
  TRADE_SMALL_STEP,
  TRADE_STEP_GROWTH,
  TRADE_TOLERANCE,
} from '../tolerances.ts'

/** Solver of one pool. Amounts are in common units, the units in which the trading function measures all tokens. */
export class OptimalTrade {
  /**
   * By token: cost of one common unit that is sold to the pool, and proceeds of one that is bought from it. `priceIn`
   * is ∞ if the token must not be sold; `priceOut` is 0 if it must not be bought.
   */
  readonly priceIn: Float64Array
  readonly priceOut: Float64Array
  /** Balances after the trade, in common units. */
  readonly balances: Float64Array
  /** By token: response of its balance x to its price c, valued at c: −c · ∂x / ∂ln c; 0 if it does not trade. */
  readonly conductance: Float64Array

  private readonly tradingFunction: TradingFunction
  /** Level of the trading function, which a trade must not change. */
  private readonly level: number
  /** Marginal values of the tokens before the trade, in units of the level. */
  private readonly initialValues: Float64Array
  /** By token: its balance after the maximum input of the token. */
  private readonly maxBalances: Float64Array
  /** Lowest price at which a token may trade. */
  private minPrice = 0
  /** Lower bound of u. */
  private readonly minU: number
  private u = 0
  private v = 0
  /** Derivative ∂mismatch / ∂v of the last solution (see `mismatch`); 0 before the first. */
  private slope = 0
  /** Sums of the balances, and of weight · ln balance. */
  private sum = 0
  private logSum = 0
  /** Number of balance evaluations of the last trade; a measure of its work. */
  evaluations = 0

  constructor(tradingFunction: TradingFunction) {
    const { balances, invariant, maxInputShare } = tradingFunction
    const { sum, logSum } = sumsOf(tradingFunction, balances)
    this.tradingFunction = tradingFunction
    this.level = invariant.level(sum, logSum)
    this.initialValues = marginalValues(tradingFunction, balances)
    this.minU = TRADE_MIN_U * minWeightPerBalance(tradingFunction)
    this.maxBalances = balances.map((balance) => balance * (1 + maxInputShare))
    this.priceIn = new Float64Array(balances.length)
    this.priceOut = new Float64Array(balances.length)
    this.conductance = new Float64Array(balances.length)
    this.balances = balances.slice()
  }

  /** Solves for the prices in `priceIn` and `priceOut`. Returns false if no trade pays. */
  solve(): boolean {
    const { priceIn, priceOut, initialValues, conductance, balances, tradingFunction } = this
    this.evaluations = 0
    let maxSellRatio = 0
    let minBuyRatio = Number.POSITIVE_INFINITY
    this.minPrice = Number.POSITIVE_INFINITY
    for (let k = 0; k < initialValues.length; k++) {
      maxSellRatio = Math.max(maxSellRatio, initialValues[k]! / priceIn[k]!)
      minBuyRatio = Math.min(minBuyRatio, initialValues[k]! / priceOut[k]!)
      this.minPrice = Math.min(this.minPrice, priceOut[k]! > 0 ? priceOut[k]! : priceIn[k]!)
    }
    if (!(maxSellRatio > minBuyRatio)) {
      balances.set(tradingFunction.balances)
      conductance.fill(0)
      return false
    }
    if (!(this.v > 0)) this.setInitialGuess(Math.sqrt(maxSellRatio * minBuyRatio))
    this.v = this.solveForV(this.v)
    for (let k = 0; k < initialValues.length; k++) conductance[k] = this.conductanceOf(k)
    return true
  }

  /**
   * Relative error of the last trade: the larger of the error of the level, and the error of the prices at which the
   * trade stops. Negligible unless the solver failed.
   */
  get relativeError(): number {
    const { tradingFunction, balances } = this
    const { invariant, weights } = tradingFunction
    const { sum, logSum } = sumsOf(tradingFunction, balances)
    const [linear, logarithmic] = [invariant.derivativeBySum(sum, logSum), invariant.derivativeByLogSum(sum, logSum)]
    const scale = weights.reduce((total, weight, k) => total + linear * balances[k]! + logarithmic * weight, 0)
    const ratio = linear / logarithmic
    const priceError = Math.abs(this.minPrice * this.v - this.u - ratio) / Math.max(ratio, this.u)
    return Math.max(Math.abs(invariant.level(sum, logSum) - this.level) / scale, priceError)
  }

  /**
   * By token: marginal value after the trade divided by the marginal value before it. The rate of a pair changes by the
   * ratio of two of these numbers.
   */
  valueRatios(): Float64Array {
    return marginalValues(this.tradingFunction, this.balances).map((value, k) => value / this.initialValues[k]!)
  }

  /** @param value - initial estimate of 1 / λ: marginal value in units of the level, per unit of price */
  private setInitialGuess(value: number): void {
    const { invariant } = this.tradingFunction
    const { sum, logSum } = sumsOf(this.tradingFunction, this.tradingFunction.balances)
    const logarithmic = invariant.derivativeByLogSum(sum, logSum)
    this.v = value / logarithmic
    const ratio = invariant.derivativeBySum(sum, logSum) / logarithmic
    this.u = Math.max(minWeightPerBalance(this.tradingFunction), this.minPrice * this.v - ratio)
  }

  /**
   * Finds the v without mismatch: by secant steps until the sign of the mismatch changes, then by regula falsi between
   * the last two points.
   */
  private solveForV(guess: number): number {
    let a = guess
    let mismatchA = this.mismatch(a)
    if (mismatchA === 0) return a
    // The mismatch rises with v, with about the slope of the last solution.
    let b = boundedStep(a - mismatchA / this.slope, a, mismatchA)
    let mismatchB = this.mismatch(b)
    for (let k = 0; k < MAX_TRADE_STEPS && mismatchA < 0 === mismatchB < 0 && mismatchB !== 0; k++) {
      const nextV = b + TRADE_STEP_GROWTH * (b - a)
      a = b
      mismatchA = mismatchB
      b = boundedStep(nextV, a, mismatchA)
      mismatchB = this.mismatch(b)
    }
    // Regula falsi. If an end of the bracket stays, its mismatch is halved (Illinois algorithm).
    let lastMove = Number.POSITIVE_INFINITY
    for (let k = 0; k < MAX_TRADE_STEPS && mismatchB !== 0; k++) {
      this.slope = (mismatchB - mismatchA) / (b - a)
      const nextV = b - mismatchB / this.slope
      const previousMove = lastMove
      lastMove = Math.abs(nextV - b)
      if (lastMove <= TRADE_TOLERANCE * b || (lastMove < TRADE_SMALL_STEP * b && lastMove >= previousMove)) break
      const nextMismatch = this.mismatch(nextV)
      if (nextMismatch < 0 === mismatchB < 0) mismatchA /= 2
      else {
        a = b
        mismatchA = mismatchB
      }
      b = nextV
      mismatchB = nextMismatch
    }
    return b
  }

  /**
   * Returns the mismatch: the ratio minPrice·v − u that u and v imply, less linear / logarithmic at the resulting
   * balances. Rises with v. Sets u and the balances.
   */
  private mismatch(v: number): number {
    this.v = v
    this.solveForU(v)
    const { invariant } = this.tradingFunction
    return (
      this.minPrice * v -
      this.u -
      invariant.derivativeBySum(this.sum, this.logSum) / invariant.derivativeByLogSum(this.sum, this.logSum)
    )
  }

  /**
   * Finds the u at which the balances have the initial level, for a v. The level falls as u rises. Uses Newton's method
   * within a bracket.
   */
  private solveForU(v: number): void {
    const { invariant } = this.tradingFunction
    let low = 0
    let high = Number.POSITIVE_INFINITY
    let lastMove = Number.POSITIVE_INFINITY
    for (let step = 0; step < MAX_TRADE_STEPS; step++) {
      const levelFall = this.setBalances(v)
      const isOutOfRange = this.logSum > invariant.maxLogSum
      const levelExcess = isOutOfRange ? Number.POSITIVE_INFINITY : invariant.level(this.sum, this.logSum) - this.level
      if (levelExcess === 0) return
      if (levelExcess > 0) low = Math.max(low, this.u)
      else high = Math.min(high, this.u)
      const newtonU = this.u + levelExcess / levelFall
      const previousMove = lastMove
      lastMove = Math.abs(newtonU - this.u)
      // Once the steps no longer shrink, they only reflect rounding.
      if (lastMove <= TRADE_ROUNDING * this.u || (lastMove < TRADE_SMALL_STEP * this.u && lastMove >= previousMove))
        return
      if (newtonU > low && newtonU < high && lastMove < TRADE_MAX_MOVE * this.u) this.u = newtonU
      else if (high < Number.POSITIVE_INFINITY) this.u = Math.sqrt(Math.max(low, this.u * TRADE_MIN_FACTOR) * high)
      else this.u /= TRADE_MIN_FACTOR
      if (this.u < this.minU) {
        this.u = this.minU
        this.setBalances(v)
        return
      }
    }
  }

  /** Sets the balances and their two sums for u and v. Returns −∂level / ∂u. */
  private setBalances(v: number): number {
    const { balances, minPrice, u, priceIn, priceOut, maxBalances } = this
    this.evaluations++
    const { weights, invariant, balances: initialBalances } = this.tradingFunction
    let sum = 0
    let logSum = 0
    for (let k = 0; k < balances.length; k++) {
      const balanceIfSold = weights[k]! / (u + (priceIn[k]! - minPrice) * v)
      const balanceIfBought = weights[k]! / (u + (priceOut[k]! - minPrice) * v)
      balances[k] =
        balanceIfSold > initialBalances[k]!
          ? Math.min(balanceIfSold, maxBalances[k]!)
          : balanceIfBought < initialBalances[k]! && priceOut[k]! > 0
            ? balanceIfBought
            : initialBalances[k]!
      sum += balances[k]!
      logSum += weights[k]! * Math.log(balances[k]!)
    }
    this.sum = sum
    this.logSum = logSum
    const linear = invariant.derivativeBySum(sum, logSum)
    const logarithmic = invariant.derivativeByLogSum(sum, logSum)
    let levelFall = 0
    for (let k = 0; k < balances.length; k++) {
      if (!this.respondsToPrice(k)) continue
      const x = balances[k]!
      levelFall += (linear + (logarithmic * weights[k]!) / x) * ((x * x) / weights[k]!)
    }
    return levelFall
  }

  private respondsToPrice(k: number): boolean {
    return this.balances[k] !== this.tradingFunction.balances[k] && this.balances[k] !== this.maxBalances[k]
  }

  private conductanceOf(k: number): number {
    if (!this.respondsToPrice(k)) return 0
    const price = this.balances[k]! > this.tradingFunction.balances[k]! ? this.priceIn[k]! : this.priceOut[k]!
    return (price * price * this.v * this.balances[k]! ** 2) / this.tradingFunction.weights[k]!
  }
}

/**
 * Moves the next point of the search for v to the side of `from` that reduces the mismatch, and limits its distance
 * from `from`.
 */
function boundedStep(proposal: number, from: number, mismatch: number): number {
  const step = mismatch < 0 ? proposal - from : from - proposal
  const length = step > 0 && step < Number.POSITIVE_INFINITY ? step : TRADE_FIRST_STEP * from
  const allowedLength = Math.min(TRADE_MAX_STEP * from, Math.max(TRADE_MIN_STEP * from, length))
  return mismatch < 0 ? from + allowedLength : from - allowedLength
}

const minWeightPerBalance = ({ balances, weights }: TradingFunction): number =>
  balances.reduce((min, balance, k) => Math.min(min, weights[k]! / balance), Number.POSITIVE_INFINITY)
