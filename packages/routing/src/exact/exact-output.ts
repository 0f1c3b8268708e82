/**
 * The least input that buys an output. The output of the best route rises with its input, so the input sought is enclosed between the
 * largest amount found to pay too little and the smallest found to pay enough. A route for an amount close to it lends its shares, with
 * which the least input is found in the chain's own integers: shares that are best for an amount within a thousandth lose a millionth.
 */
import { crossesFlat, inputOf, outputOf } from '../graph/price-curve.ts'
import { potential, wayTo } from '../problem/potentials.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import { pushThrough } from '../solver/flow.ts'
import { FEW_UNITS } from '../tolerances.ts'
import type { RouteTerms } from '../types.ts'
import { admit, bestRoute } from './best-route.ts'
import {
  BEYOND_REACH,
  CONFIRMATIONS,
  DUST_STEP,
  FLAT_GAIN,
  FLAT_MARGIN,
  FLAT_MIN,
  FLAT_NEAR,
  FLAT_STEP,
  LESS_PARTS,
  LOOSE_BOUND,
  MIN_ELASTICITY,
  NEAR_INPUT,
  OUTPUT_MARGIN,
  OUTPUT_SEARCHES,
  PROBE_FALL,
  PROBE_PART,
  PROBE_STEP,
  PROBES_FROM,
  REACH_PARTS,
  SEARCH_PART,
} from './output-tolerances.ts'
import { leastInputOf, type PricedRoute, type RoutedInput } from './route-input.ts'
import type { FoundRoute } from './search-and-settle.ts'
import { AMOUNT_LIMIT } from './shares.ts'

/**
 * @param wanted - output, base units
 * @returns the least input that pays it with its route; when none does, the one found that pays most, and null when nothing routes
 */
export function leastInput(problem: Problem, wanted: bigint, request: RouteTerms): RoutedInput | null {
  return new InputSearch(problem, wanted, request).run()
}

const paidBy = ({ route }: RoutedInput): bigint => route.settlement.amountOut

class InputSearch {
  private readonly problem: Problem
  private readonly wanted: bigint
  private readonly request: RouteTerms
  /** The largest amount known to pay too little, with its route if it has one. */
  private low = 0n
  private below: PricedRoute | null = null
  /** The route of the largest amount but one that pays too little. */
  private belowBefore: PricedRoute | null = null
  /** The smallest amount known to pay enough. */
  private above: PricedRoute | null = null
  /** The smallest amount known not to route because the pools cannot take it. */
  private ceiling = AMOUNT_LIMIT
  /** A route found without regard to gas that pays enough: for when none of those that gas decides does. */
  private regardless: PricedRoute | null = null
  private narrowings = 0
  private hasTriedLess = false

  constructor(problem: Problem, wanted: bigint, request: RouteTerms) {
    this.problem = problem
    this.wanted = wanted
    this.request = request
  }

  /** The best found when the work allowed runs out. */
  run(): RoutedInput | null {
    return this.problem.budget.attempt(
      1,
      () => this.search() ?? this.nearest(),
      () => this.above ?? this.regardless ?? this.below,
    )
  }

  private search(): RoutedInput | null {
    const { problem, wanted } = this
    const most = outputBound(problem)
    const isBeyond = Number(wanted) > most * BEYOND_REACH
    let amountIn: bigint | null = wholeUnits(firstAmount(problem, isBeyond ? most : Number(wanted)))
    for (let searches = 0; searches < OUTPUT_SEARCHES && amountIn !== null; searches++) {
      // How far the pools reach is no matter of gas, and far cheaper to find without.
      const isProbe = !this.above && !this.regardless && (isBeyond || searches >= PROBES_FROM)
      const tried = this.attempt(amountIn, isProbe)
      if (tried && isProbe && problem.perGas > 0 && paidBy(tried) >= wanted) {
        this.regardless = tried
        continue
      }
      this.note(amountIn, tried)
      if (tried && this.isNear(tried)) {
        const least = leastInputOf(tried, wanted, this.request)
        if (least && !this.lessPaysMore(tried, least.amountIn)) return this.confirmed(tried, least)
      }
      amountIn = this.next()
    }
    return null
  }

  private attempt(amountIn: bigint, isProbe: boolean): PricedRoute | null {
    const { request } = this
    const problem: Problem = isProbe ? { ...this.problem, perGas: 0, perLeg: 0 } : this.problem
    return problem.budget.attempt(
      isProbe ? PROBE_PART : SEARCH_PART,
      () => {
        const asked = admit(problem, amountIn, request)
        const route = bestRoute(asked.problem, amountIn, request, asked.admission)
        return route && { amountIn, route, problem: asked.problem, price: marginalPrice(asked.problem, route) }
      },
      () => null,
    )
  }

  private note(amountIn: bigint, tried: PricedRoute | null): void {
    if (!tried) {
      // Dust buys nothing.
      const isDust = !this.below && !this.above && (amountIn < FEW_UNITS || this.wanted < FEW_UNITS)
      if (isDust) this.low = amountIn
      else this.ceiling = amountIn
    } else if (paidBy(tried) >= this.wanted) this.above = tried
    // Where pools disagree, a route for far more than they take may pay less: the amounts to try lie below.
    else if (!this.above && this.below && paidBy(tried) < paidBy(this.below) && amountIn > this.low * 2n)
      this.ceiling = amountIn
    else {
      this.low = amountIn
      this.belowBefore = this.below
      this.below = tried
    }
  }

  /** The amount to try next; null when nothing is left between those known, or no input is likely to pay enough. */
  private next(): bigint | null {
    const { low, below, above, ceiling } = this
    if (above) return this.between(above)
    if (!below) {
      const amount = low > 0n ? low * DUST_STEP : ceiling / PROBE_FALL
      return amount > low && amount < ceiling ? amount : null
    }
    if (this.isFlat(below)) return null
    if ((ceiling - low) * REACH_PARTS < ceiling) return null
    const guess = wholeUnits(Math.max(extrapolate(below, Number(this.wanted)), this.alongSecant(below)))
    const furthest = low * PROBE_STEP < ceiling ? low * PROBE_STEP : (low + ceiling) / 2n
    return guess <= low ? low + 1n : guess < furthest || guess < (low + ceiling) / 2n ? guess : furthest
  }

  /** By the slope between the last two amounts, which returns that diminish make steeper than what is left. */
  private alongSecant(below: PricedRoute): number {
    const before = this.belowBefore
    if (!before) return 0
    const rise = Number(paidBy(below) - paidBy(before))
    // More input may pay less where pools disagree: the slope between the two then says nothing.
    if (rise <= 0) return 0
    const missing = Number(this.wanted - paidBy(below))
    return Number(below.amountIn) + (missing * Number(below.amountIn - before.amountIn)) / rise
  }

  /** By the slope at the end that is nearer, and every third time in the middle. */
  private between(above: PricedRoute): bigint | null {
    const { low, below, wanted } = this
    const high = above.amountIn
    if (high - low <= 1n) return null
    if (++this.narrowings % 3 === 0) return (low + high) / 2n
    const near = below && this.distance(below) < this.distance(above) ? below : above
    const guess = wholeUnits(extrapolate(near, Number(wanted)))
    return guess > low && guess < high ? guess : (low + high) / 2n
  }

  private distance(tried: PricedRoute): number {
    return Math.abs(Number(paidBy(tried)) - Number(this.wanted))
  }

  /** True when the input sought is so close to a tried one that the shares of its route serve for it. */
  private isNear(tried: PricedRoute): boolean {
    if (missedBy(tried, this.wanted) > NEAR_INPUT) return false
    // Where more input buys next to nothing, the slope says little of the input that buys an output.
    const { amountIn, price } = tried
    if (price * Number(amountIn) > MIN_ELASTICITY * Number(paidBy(tried))) return true
    return this.above !== null && Number(this.above.amountIn - this.low) <= NEAR_INPUT * Number(amountIn)
  }

  /**
   * True when the last step, of several times the input, bought hardly more, and what is wanted is further off than that: returns
   * diminish, so no input buys it.
   */
  private isFlat(last: PricedRoute): boolean {
    const { belowBefore: before, wanted } = this
    if (!before || last.amountIn < before.amountIn * FLAT_STEP) return false
    const gain = Number(paidBy(last)) / Number(paidBy(before))
    return gain <= FLAT_GAIN && Number(wanted) > Number(paidBy(last)) * Math.max(gain, FLAT_MIN)
  }

  /**
   * Searches again at the least input of a route while some leg stops close to where its pool ends or has no liquidity: the share of
   * such a leg does not change with the amount, so that the shares for another amount are not as good.
   */
  private confirmed(first: PricedRoute, found: RoutedInput): RoutedInput {
    let [tried, least] = [first, found]
    for (let round = 0; round < CONFIRMATIONS && isAtFlat(tried, least.amountIn); round++) {
      const again = this.attempt(least.amountIn, false)
      const better = again && leastInputOf(again, this.wanted, this.request)
      if (!better || better.amountIn >= least.amountIn) break
      tried = again
      least = better
    }
    return least
  }

  /**
   * Tries a smaller amount once, if a route is far below its bound: when the pools cannot take all that the best ones bring, more input
   * may buy less. The search goes on below that amount when it pays enough.
   */
  private lessPaysMore({ route, amountIn }: PricedRoute, least: bigint): boolean {
    const { bound, settlement } = route
    const isLoose = bound === null || bound > Number(settlement.amountOut) * LOOSE_BOUND
    if (!isLoose || this.hasTriedLess) return false
    this.hasTriedLess = true
    const less = ((amountIn < least ? amountIn : least) * LESS_PARTS) / 4n
    const tried = this.attempt(less, false)
    if (!tried || paidBy(tried) < this.wanted) return false
    this.low = 0n
    this.below = this.belowBefore = null
    this.above = tried
    return true
  }

  private nearest(): RoutedInput | null {
    const { above, below, regardless, wanted } = this
    const inOrder = [above, below].filter((tried) => tried !== null)
    for (const tried of [...inOrder.toSorted((a, b) => this.distance(a) - this.distance(b)), regardless]) {
      const least = tried && leastInputOf(tried, wanted, this.request)
      if (least) return least
    }
    return above ?? regardless ?? below
  }
}

/** Upper bound on what any input buys, output base units: all that the pools of the target can pay. */
function outputBound(problem: Problem): number {
  const { graph, target, rate, budget } = problem
  const { offset, reverse } = graph.topology
  budget.spend(offset[target + 1]! - offset[target]!)
  let most = 0
  for (let out = offset[target]!; out < offset[target + 1]!; out++) {
    const edge = reverse[out]!
    if (rate[edge]! > 0) most += outputOf(curveOf(problem, edge), Number.POSITIVE_INFINITY)
  }
  return most
}

/** The input with which the best path at spot rates pays an output; when it cannot, by its price alone. */
function firstAmount(problem: Problem, wanted: number): number {
  const backward = potential(problem, problem.target, 'to')
  const rate = backward.best[problem.source]!
  const path = wayTo(problem, backward, problem.source, problem.target)
  const needed = path?.reduceRight((amount, edge) => inputOf(curveOf(problem, edge), amount), wanted)
  if (needed !== undefined && Number.isFinite(needed)) return needed
  return rate > 0 ? wanted / rate : 1
}

/** Output for one more unit of input, all legs growing by the same part: that of the best allocation, to first order. */
function marginalPrice(problem: Problem, { flow }: FoundRoute): number {
  const more = { ...problem, amountIn: problem.amountIn * (1 + OUTPUT_MARGIN) }
  const grown = pushThrough(more, flow.edges, flow.input)
  const price = ((grown?.amountOut ?? 0) - flow.amountOut) / (problem.amountIn * OUTPUT_MARGIN)
  return Math.max(price, 0)
}

/** The input at which a pool of x·y = k that pays as much, at the same price, pays an output; ∞ when it never does. */
function extrapolate({ amountIn, route, price }: PricedRoute, wanted: number): number {
  const pays = Number(route.settlement.amountOut)
  const average = pays / Number(amountIn)
  // f(x) = a·x / (1 + b·x): 1 + b·x is the average price by the marginal one.
  const fall = Math.max(1, average / price)
  const a = average * fall
  const b = (fall - 1) / Number(amountIn)
  return wanted < a / b ? wanted / (a - b * wanted) : Number.POSITIVE_INFINITY
}

/** A whole number of base units, no more than a leg can carry. */
function wholeUnits(amount: number): bigint {
  return amount < Number(AMOUNT_LIMIT) ? BigInt(Math.ceil(amount)) : AMOUNT_LIMIT - 1n
}

/** Part of its input by which a route is off that pays an output. */
function missedBy(tried: PricedRoute, wanted: bigint): number {
  const { amountIn } = tried
  return paidBy(tried) === wanted ? 0 : Math.abs(extrapolate(tried, Number(wanted)) / Number(amountIn) - 1)
}

/** True when a leg comes to where its pool ends or has no liquidity, or is as close to it as two inputs of the route to each other. */
function isAtFlat({ problem, route, amountIn }: PricedRoute, least: bigint): boolean {
  const part = FLAT_MARGIN * Math.abs(Number(least) / Number(amountIn) - 1) + FLAT_NEAR
  const { edges, input } = route.flow
  return edges.some((edge, k) => crossesFlat(curveOf(problem, edge), input[k]! * (1 - part), input[k]! * (1 + part)))
}
