/**
 * What a pool of several tokens trades at given prices: the balances on its surface at which no further trade would pay. A
 * token is sold to it until its marginal value there has fallen to what it costs, bought until it has risen to what it is
 * worth, and left alone in between.
 *
 * With value λ of the surface's level, the marginal value of a token is λ·(linear + logarithmic · weight / x). Where it
 * equals a price c, x = weight / (c·v − r) with v = 1 / (λ·logarithmic) and r = linear / logarithmic. Two numbers are
 * sought, then: v, and u = least·v − r, which keeps all denominators u + (c − least)·v above zero.
 */
import { marginalValues, type Surface, sumsOf } from '@sluice/liquidity'

const MAX_STEPS = 60
/** The least step away from a guess, as a part of it, the most, and by what further ones grow. */
const LEAST_STEP = 1e-12
const FIRST_STEP = 1e-4
const MOST_STEP = 0.5
const GROWTH = 4
const LEAST_PART = 1 / 16
const MOST_MOVED = 4
/** u where a balance is so many times as large as the largest. */
const LEAST_U = 1e-6
const TOLERANCE = 1e-14
const ROUNDING = 1e-15
const SMALL = 1e-9

export class SurfaceTrade {
  /** What a common unit costs that is sold to the pool, and what one is worth that is bought of it; ∞ and 0 where it may not. */
  readonly cost: Float64Array
  readonly worth: Float64Array
  /** Balances where the trade ends, in common units. */
  readonly balances: Float64Array
  /** How far a balance gives way to its token's price: −∂x / ∂ln c, by that price; 0 for tokens that are left alone. */
  readonly conductance: Float64Array

  private readonly surface: Surface
  private readonly level: number
  /** Marginal values where nothing has been traded. */
  private readonly values: Float64Array
  private readonly most: Float64Array
  /** Value that is taken for zero of the scale of prices. */
  private least = 0
  /** What u is at least. */
  private readonly floor: number
  private u = 0
  private v = 0
  /** ∂mismatch / ∂v at the prices before; 0 at first. */
  private slope = 0
  private sum = 0
  /** Times that balances were tried for the last trade. */
  placed = 0
  private logs = 0

  constructor(surface: Surface) {
    const { balances, invariant, mostSold } = surface
    const { sum, logs } = sumsOf(surface, balances)
    this.surface = surface
    this.level = invariant.level(sum, logs)
    this.values = marginalValues(surface, balances)
    this.floor = LEAST_U * heaviest(surface)
    this.most = balances.map((balance) => balance * (1 + mostSold))
    this.cost = new Float64Array(balances.length)
    this.worth = new Float64Array(balances.length)
    this.conductance = new Float64Array(balances.length)
    this.balances = balances.slice()
  }

  /** Solves for the prices in `cost` and `worth`; false where nothing pays. */
  solve(): boolean {
    const { cost, worth, values, conductance, balances, surface } = this
    this.placed = 0
    let sells = 0
    let buys = Number.POSITIVE_INFINITY
    this.least = Number.POSITIVE_INFINITY
    for (let k = 0; k < values.length; k++) {
      sells = Math.max(sells, values[k]! / cost[k]!)
      buys = Math.min(buys, values[k]! / worth[k]!)
      this.least = Math.min(this.least, worth[k]! > 0 ? worth[k]! : cost[k]!)
    }
    if (!(sells > buys)) {
      balances.set(surface.balances)
      conductance.fill(0)
      return false
    }
    if (!(this.v > 0)) this.guess(Math.sqrt(sells * buys))
    this.v = this.root(this.v)
    for (let k = 0; k < values.length; k++) conductance[k] = this.conductanceOf(k)
    return true
  }

  /** By what part each token's marginal value has moved from where nothing is traded; rates move by two of them. */
  valuesMoved(): Float64Array {
    return marginalValues(this.surface, this.balances).map((value, k) => value / this.values[k]!)
  }

  /** @param value - marginal value for a price of one, between what is paid for it and what it brings */
  private guess(value: number): void {
    const { invariant } = this.surface
    const { sum, logs } = sumsOf(this.surface, this.surface.balances)
    const logarithmic = invariant.logarithmic(sum, logs)
    this.v = value / logarithmic
    const ratio = invariant.linear(sum, logs) / logarithmic
    this.u = Math.max(heaviest(this.surface), this.least * this.v - ratio)
  }

  /** Where the slopes of the surface are those that v stands for: secants until the sign changes, then within the bracket. */
  private root(guess: number): number {
    let a = guess
    let atA = this.mismatch(a)
    if (atA === 0) return a
    // The mismatch rises with v, about as fast as it did at the prices before.
    let b = within(a - atA / this.slope, a, atA)
    let atB = this.mismatch(b)
    for (let k = 0; k < MAX_STEPS && atA < 0 === atB < 0 && atB !== 0; k++) {
      const next = b + GROWTH * (b - a)
      a = b
      atA = atB
      b = within(next, a, atA)
      atB = this.mismatch(b)
    }
    // Regula falsi; the end that stays is weighed half (the Illinois rule).
    let moved = Number.POSITIVE_INFINITY
    for (let k = 0; k < MAX_STEPS && atB !== 0; k++) {
      this.slope = (atB - atA) / (b - a)
      const next = b - atB / this.slope
      const before = moved
      moved = Math.abs(next - b)
      if (moved <= TOLERANCE * b || (moved < SMALL * b && moved >= before)) break
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

  /** How far r is from what the surface has where v leads; rises with v. Leaves the balances there. */
  private mismatch(v: number): number {
    this.v = v
    this.reach(v)
    const { invariant } = this.surface
    return this.least * v - this.u - invariant.linear(this.sum, this.logs) / invariant.logarithmic(this.sum, this.logs)
  }

  /** Finds u, and with it balances on the surface: the level falls as u rises. Newton's method within a bracket. */
  private reach(v: number): void {
    const { invariant } = this.surface
    let low = 0
    let high = Number.POSITIVE_INFINITY
    let moved = Number.POSITIVE_INFINITY
    for (let step = 0; step < MAX_STEPS; step++) {
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
      if (moved <= ROUNDING * this.u || (moved < SMALL * this.u && moved >= before)) return
      if (newton > low && newton < high && moved < MOST_MOVED * this.u) this.u = newton
      else if (high < Number.POSITIVE_INFINITY) this.u = Math.sqrt(Math.max(low, this.u * LEAST_PART) * high)
      else this.u /= LEAST_PART
      if (this.u < this.floor) {
        this.u = this.floor
        this.place(v)
        return
      }
    }
  }

  /** Puts the balances where u and v want them and returns by how much the level falls as u rises. */
  private place(v: number): number {
    const { balances, least, u, cost, worth, most } = this
    this.placed++
    const { weights, invariant, balances: start } = this.surface
    let sum = 0
    let logs = 0
    for (let k = 0; k < balances.length; k++) {
      const sold = weights[k]! / (u + (cost[k]! - least) * v)
      const bought = weights[k]! / (u + (worth[k]! - least) * v)
      balances[k] =
        sold > start[k]! ? Math.min(sold, most[k]!) : bought < start[k]! && worth[k]! > 0 ? bought : start[k]!
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
    return this.balances[k] !== this.surface.balances[k] && this.balances[k] !== this.most[k]
  }

  private conductanceOf(k: number): number {
    if (!this.moves(k)) return 0
    const price = this.balances[k]! > this.surface.balances[k]! ? this.cost[k]! : this.worth[k]!
    return (price * price * this.v * this.balances[k]! ** 2) / this.surface.weights[k]!
  }
}

/** A step from `from` against the sign of the mismatch there, no longer and no shorter than may be. */
function within(next: number, from: number, mismatch: number): number {
  const step = mismatch < 0 ? next - from : from - next
  const length = step > 0 && step < Number.POSITIVE_INFINITY ? step : FIRST_STEP * from
  const allowed = Math.min(MOST_STEP * from, Math.max(LEAST_STEP * from, length))
  return mismatch < 0 ? from + allowed : from - allowed
}

const heaviest = ({ balances, weights }: Surface): number =>
  balances.reduce((least, balance, k) => Math.min(least, weights[k]! / balance), Number.POSITIVE_INFINITY)
