/**
 * The optimal trade of a pool of several tokens at given prices: the balances on its trading function at which no further
 * trade would pay. A token is sold to it until its marginal value there has fallen to what it costs, bought until it has
 * risen to what it is priceOut, and left alone in between.
 *
 * With value λ of the trading function's level, the marginal value of a token is λ·(linear + logarithmic · weight / x).
 * Where it equals a price c, x = weight / (c·v − r) with v = 1 / (λ·logarithmic) and r = linear / logarithmic. Two numbers
 * are sought, then: v, and u = least·v − r, which keeps all denominators u + (c − least)·v above zero.
 */
import { marginalValues, sumsOf, type TradingFunction } from '@sluice/liquidity'
import {
  TRADE_FIRST_STEP,
  TRADE_GROWTH,
  TRADE_LEAST_PART,
  TRADE_LEAST_STEP,
  TRADE_LEAST_U,
  TRADE_MOST_MOVED,
  TRADE_MOST_STEP,
  TRADE_ROUNDING,
  TRADE_SMALL,
  TRADE_STEPS,
  TRADE_TOLERANCE,
} from '../tolerances.ts'

export class OptimalTrade {
  /** Prices of a common unit that is sold to the pool, and of one that is bought of it; ∞ and 0 where it may not. */
  readonly priceIn: Float64Array
  readonly priceOut: Float64Array
  /** Balances where the trade ends, in common units. */
  readonly balances: Float64Array
  /** The answer of a balance to its token's price: −∂x / ∂ln c, by that price; 0 for tokens that are left alone. */
  readonly conductance: Float64Array

  private readonly tradingFunction: TradingFunction
  private readonly level: number
  /** Marginal values where nothing has been traded. */
  private readonly values: Float64Array
  private readonly most: Float64Array
  /** Value that is taken for zero of the scale of prices. */
  private least = 0
  /** The least u. */
  private readonly floor: number
  private u = 0
  private v = 0
  /** ∂mismatch / ∂v at the prices before; 0 at first. */
  private slope = 0
  private sum = 0
  /** Times that balances were tried for the last trade. */
  placed = 0
  private logs = 0

  constructor(tradingFunction: TradingFunction) {
    const { balances, invariant, mostSold } = tradingFunction
    const { sum, logs } = sumsOf(tradingFunction, balances)
    this.tradingFunction = tradingFunction
    this.level = invariant.level(sum, logs)
    this.values = marginalValues(tradingFunction, balances)
    this.floor = TRADE_LEAST_U * heaviest(tradingFunction)
    this.most = balances.map((balance) => balance * (1 + mostSold))
    this.priceIn = new Float64Array(balances.length)
    this.priceOut = new Float64Array(balances.length)
    this.conductance = new Float64Array(balances.length)
    this.balances = balances.slice()
  }

  /** Solves for the prices in `priceIn` and `priceOut`; false where nothing pays. */
  solve(): boolean {
    const { priceIn, priceOut, values, conductance, balances, tradingFunction } = this
    this.placed = 0
    let sells = 0
    let buys = Number.POSITIVE_INFINITY
    this.least = Number.POSITIVE_INFINITY
    for (let k = 0; k < values.length; k++) {
      sells = Math.max(sells, values[k]! / priceIn[k]!)
      buys = Math.min(buys, values[k]! / priceOut[k]!)
      this.least = Math.min(this.least, priceOut[k]! > 0 ? priceOut[k]! : priceIn[k]!)
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

  /** Part by which the last trade misses the trading function, or its prices; next to nothing unless no trade was found. */
  get miss(): number {
    const { tradingFunction, balances } = this
    const { invariant, weights } = tradingFunction
    const { sum, logs } = sumsOf(tradingFunction, balances)
    const [linear, logarithmic] = [invariant.linear(sum, logs), invariant.logarithmic(sum, logs)]
    const scale = weights.reduce((all, weight, k) => all + linear * balances[k]! + logarithmic * weight, 0)
    const ratio = linear / logarithmic
    const off = Math.abs(this.least * this.v - this.u - ratio) / Math.max(ratio, this.u)
    return Math.max(Math.abs(invariant.level(sum, logs) - this.level) / scale, off)
  }

  /** By what part each token's marginal value has moved from where nothing is traded; rates move by two of them. */
  valuesMoved(): Float64Array {
    return marginalValues(this.tradingFunction, this.balances).map((value, k) => value / this.values[k]!)
  }

  /** @param value - marginal value for a price of one, between what is paid for it and what it brings */
  private guess(value: number): void {
    const { invariant } = this.tradingFunction
    const { sum, logs } = sumsOf(this.tradingFunction, this.tradingFunction.balances)
    const logarithmic = invariant.logarithmic(sum, logs)
    this.v = value / logarithmic
    const ratio = invariant.linear(sum, logs) / logarithmic
    this.u = Math.max(heaviest(this.tradingFunction), this.least * this.v - ratio)
  }

  /** The v whose slopes are those of the trading function: secants until the sign changes, then within the bracket. */
  private root(guess: number): number {
    let a = guess
    let atA = this.mismatch(a)
    if (atA === 0) return a
    // The mismatch rises with v, about as fast as it did at the prices before.
    let b = within(a - atA / this.slope, a, atA)
    let atB = this.mismatch(b)
    for (let k = 0; k < TRADE_STEPS && atA < 0 === atB < 0 && atB !== 0; k++) {
      const next = b + TRADE_GROWTH * (b - a)
      a = b
      atA = atB
      b = within(next, a, atA)
      atB = this.mismatch(b)
    }
    // Regula falsi; the end that stays is weighed half (the Illinois rule).
    let moved = Number.POSITIVE_INFINITY
    for (let k = 0; k < TRADE_STEPS && atB !== 0; k++) {
      this.slope = (atB - atA) / (b - a)
      const next = b - atB / this.slope
      const before = moved
      moved = Math.abs(next - b)
      if (moved <= TRADE_TOLERANCE * b || (moved < TRADE_SMALL * b && moved >= before)) break
      const at = this.mismatch(next)
      if (at < 0 === atB < 0) atA /= 2
      else {
        a = b
        atA = atB
      }
      b = next
      atB = at
    }
    return b
  }

  /** The distance of r from what the trading function has where v leads; rises with v. Leaves the balances there. */
  private mismatch(v: number): number {
    this.v = v
    this.reach(v)
    const { invariant } = this.tradingFunction
    return this.least * v - this.u - invariant.linear(this.sum, this.logs) / invariant.logarithmic(this.sum, this.logs)
  }

  /**
   * Finds u, and with it balances on the trading function: the level falls as u rises. Newton's method within a
   * bracket.
   */
  private reach(v: number): void {
    const { invariant } = this.tradingFunction
    let low = 0
    let high = Number.POSITIVE_INFINITY
    let moved = Number.POSITIVE_INFINITY
    for (let step = 0; step < TRADE_STEPS; step++) {
      const gives = this.place(v)
      const beyond = this.logs > invariant.mostLogs
      const above = beyond ? Number.POSITIVE_INFINITY : invariant.level(this.sum, this.logs) - this.level
      if (above === 0) return
      if (above > 0) low = Math.max(low, this.u)
      else high = Math.min(high, this.u)
      const newton = this.u + above / gives
      const before = moved
      moved = Math.abs(newton - this.u)
      // Steps that no longer shrink are rounding.
      if (moved <= TRADE_ROUNDING * this.u || (moved < TRADE_SMALL * this.u && moved >= before)) return
      if (newton > low && newton < high && moved < TRADE_MOST_MOVED * this.u) this.u = newton
      else if (high < Number.POSITIVE_INFINITY) this.u = Math.sqrt(Math.max(low, this.u * TRADE_LEAST_PART) * high)
      else this.u /= TRADE_LEAST_PART
      if (this.u < this.floor) {
        this.u = this.floor
        this.place(v)
        return
      }
    }
  }

  /** Puts the balances where u and v want them and returns by how much the level falls as u rises. */
  private place(v: number): number {
    const { balances, least, u, priceIn, priceOut, most } = this
    this.placed++
    const { weights, invariant, balances: start } = this.tradingFunction
    let sum = 0
    let logs = 0
    for (let k = 0; k < balances.length; k++) {
      const sold = weights[k]! / (u + (priceIn[k]! - least) * v)
      const bought = weights[k]! / (u + (priceOut[k]! - least) * v)
      balances[k] =
        sold > start[k]! ? Math.min(sold, most[k]!) : bought < start[k]! && priceOut[k]! > 0 ? bought : start[k]!
      sum += balances[k]!
      logs += weights[k]! * Math.log(balances[k]!)
    }
    this.sum = sum
    this.logs = logs
    const linear = invariant.linear(sum, logs)
    const logarithmic = invariant.logarithmic(sum, logs)
    let gives = 0
    for (let k = 0; k < balances.length; k++) {
      if (!this.moves(k)) continue
      const x = balances[k]!
      gives += (linear + (logarithmic * weights[k]!) / x) * ((x * x) / weights[k]!)
    }
    return gives
  }

  private moves(k: number): boolean {
    return this.balances[k] !== this.tradingFunction.balances[k] && this.balances[k] !== this.most[k]
  }

  private conductanceOf(k: number): number {
    if (!this.moves(k)) return 0
    const price = this.balances[k]! > this.tradingFunction.balances[k]! ? this.priceIn[k]! : this.priceOut[k]!
    return (price * price * this.v * this.balances[k]! ** 2) / this.tradingFunction.weights[k]!
  }
}

/** A step from `from` against the sign of the mismatch there, no longer and no shorter than may be. */
function within(next: number, from: number, mismatch: number): number {
  const step = mismatch < 0 ? next - from : from - next
  const length = step > 0 && step < Number.POSITIVE_INFINITY ? step : TRADE_FIRST_STEP * from
  const allowed = Math.min(TRADE_MOST_STEP * from, Math.max(TRADE_LEAST_STEP * from, length))
  return mismatch < 0 ? from + allowed : from - allowed
}

const heaviest = ({ balances, weights }: TradingFunction): number =>
  balances.reduce((least, balance, k) => Math.min(least, weights[k]! / balance), Number.POSITIVE_INFINITY)
