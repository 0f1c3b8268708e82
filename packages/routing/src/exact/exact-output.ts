/**
 * Finds the minimum input that buys an output. The best route's output rises with its input. So the search narrows an
 * interval between an input that pays too little and an input that pays enough. It takes one route search per tried
 * input. As soon as a tried input is within 0.03 % of the minimum, its route is kept. The minimum input of this route
 * is then found in integers (`route-input.ts`). Compared with the best route at the minimum, the kept route loses about
 * a millionth of the output. A probe is a route search without gas, which shows with less work how much the pools can
 * pay.
 */
import { crossesFlat, inputOf, outputOf } from '../graph/price-curve.ts'
import { WorkSpent } from '../problem/budget.ts'
import { bestSpotRates, distancesFrom, pathTo } from '../problem/potentials.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import { pushThrough } from '../solver/flow.ts'
import { FEW_UNITS } from '../tolerances.ts'
import type { RouteTerms } from '../types.ts'
import { admit, bestRoute } from './best-route.ts'
import {
  BEYOND_REACH_OUTPUT_RATIO,
  DUST_STEP_UP,
  LOOSE_BOUND_RATIO,
  MAX_CONFIRMATIONS,
  MAX_FLAT_OUTPUT_RATIO,
  MAX_INPUT_GAP_TO_REUSE,
  MAX_OUTPUT_SEARCHES,
  MIN_ELASTICITY,
  MIN_FLAT_INPUT_RATIO,
  MIN_FLAT_SHORTFALL_RATIO,
  OUTPUT_MARGIN,
  PROBE_STEP_DOWN,
  PROBE_STEP_UP,
  PROBE_WORK_SHARE,
  REACH_PRECISION_DIVISOR,
  SEARCH_WORK_SHARE,
  SEARCHES_BEFORE_PROBES,
  SMALLER_INPUT_QUARTERS,
  STOP_DISTANCE,
  STOP_DISTANCE_PER_CHANGE,
  UNIT_MARGIN,
  UNREACHABLE_BRACKET_RATIO,
  UNREACHABLE_OUTPUT_RATIO,
} from './output-tolerances.ts'
import { minInputOf, type PricedRoute, type RoutedInput } from './route-input.ts'
import type { SettledRoute } from './search-and-settle.ts'
import { AMOUNT_LIMIT } from './shares.ts'

/**
 * Finds the minimum input for an output.
 *
 * @param requiredOut - minimum output, base units
 * @returns the minimum input with its route; if no input suffices, the tried input that pays most; null if no tried
 *   input can be routed
 * @throws WorkSpent if the work ran out before any route was found
 */
export function minInput(problem: Problem, requiredOut: bigint, request: RouteTerms): RoutedInput | null {
  return new InputSearch(problem, requiredOut, request).run()
}

const outputOfRoute = ({ route }: RoutedInput): bigint => route.settlement.amountOut

class InputSearch {
  private readonly problem: Problem
  private readonly requiredOut: bigint
  private readonly request: RouteTerms
  /** Largest input known to pay too little, and its route if it has one. */
  private low = 0n
  private lowRoute: PricedRoute | null = null
  /** Route of the second largest input known to pay too little. */
  private previousLowRoute: PricedRoute | null = null
  /** Route of the smallest input known to pay enough. */
  private highRoute: PricedRoute | null = null
  /** Smallest input that the pools are known not to take. */
  private ceiling = AMOUNT_LIMIT
  /** First input tried. */
  private firstInput = 0n
  /** True if the inputs below the first one cannot be routed, so that the search steps up from it. */
  private isSearchingUpward = false
  /** Route that pays enough, found as if gas were free. Used if no route found with gas pays enough. */
  private gasFreeRoute: PricedRoute | null = null
  /** True if all pools that pay the output token cannot pay the required output together. */
  private isUnreachable = false
  /** Number of inputs tried within the interval. */
  private narrowings = 0
  /** True if `paysWithSmaller` has tried its input, which it does once. */
  private hasTriedSmaller = false
  /**
   * True if the output rises in steps, because some token has few units: two tried inputs paid the same, or one bought
   * nothing.
   */
  private risesInSteps = false
  /** True if the work of a tried input ran out before a route was found, so that the input may be routable. */
  private hasUnfinishedInput = false

  constructor(problem: Problem, requiredOut: bigint, request: RouteTerms) {
    this.problem = problem
    this.requiredOut = requiredOut
    this.request = request
  }

  /** Returns the best input found if the work runs out. @throws WorkSpent if there is none */
  run(): RoutedInput | null {
    const onWorkSpent = () => {
      this.hasUnfinishedInput = true
      return this.highRoute ?? this.gasFreeRoute ?? this.lowRoute
    }
    const result = this.problem.budget.attempt(1, () => this.search() ?? this.nearestRoute(), onWorkSpent)
    if (!result && this.hasUnfinishedInput) throw new WorkSpent()
    return result
  }

  private search(): RoutedInput | null {
    const { problem, requiredOut } = this
    const maxOutput = outputBound(problem)
    this.isUnreachable = Number(requiredOut) > maxOutput * UNREACHABLE_OUTPUT_RATIO
    this.firstInput = wholeUnits(initialInput(problem, this.isUnreachable ? maxOutput : Number(requiredOut)))
    let amountIn: bigint | null = this.firstInput
    for (let searches = 0; searches < MAX_OUTPUT_SEARCHES && amountIn !== null; searches++) {
      const isProbe =
        !this.highRoute && !this.gasFreeRoute && (this.isUnreachable || searches >= SEARCHES_BEFORE_PROBES)
      const candidate = this.routeAt(amountIn, isProbe)
      if (candidate && isProbe && problem.costPerGas > 0 && outputOfRoute(candidate) >= requiredOut) {
        this.gasFreeRoute = candidate
        continue
      }
      this.record(amountIn, candidate)
      if (candidate && this.isNear(candidate)) {
        const min = minInputOf(candidate, requiredOut, this.request)
        if (min && !this.paysWithSmaller(candidate, min.amountIn)) return this.confirm(candidate, min)
      }
      amountIn = this.nextInput()
    }
    return null
  }

  private routeAt(amountIn: bigint, isProbe: boolean): PricedRoute | null {
    const { request } = this
    const problem: Problem = isProbe ? { ...this.problem, costPerGas: 0, costPerLeg: 0 } : this.problem
    return problem.budget.attempt(
      isProbe ? PROBE_WORK_SHARE : SEARCH_WORK_SHARE,
      () => {
        const admitted = admit(problem, amountIn, request)
        const route = bestRoute(admitted.problem, amountIn, request, admitted.admission)
        return route && { amountIn, route, problem: admitted.problem, price: marginalPrice(admitted.problem, route) }
      },
      () => {
        this.hasUnfinishedInput = true
        return null
      },
    )
  }

  private record(amountIn: bigint, candidate: PricedRoute | null): void {
    if (!candidate) {
      // The input cannot be routed. It is either dust, which buys nothing, or more than the pools can take.
      const isDust = this.highRoute
        ? amountIn < this.highRoute.amountIn
        : !this.lowRoute && (this.isSearchingUpward || amountIn < FEW_UNITS || this.requiredOut < FEW_UNITS)
      if (isDust) this.low = amountIn
      else this.ceiling = amountIn
      this.risesInSteps ||= this.highRoute !== null
      return
    }
    const output = outputOfRoute(candidate)
    this.risesInSteps ||= [this.lowRoute, this.highRoute].some((other) => other && outputOfRoute(other) === output)
    if (output >= this.requiredOut) this.highRoute = candidate
    // If pools disagree on prices, a route for much more input than the pools can take may pay less. Then the search
    // continues below this input.
    else if (!this.highRoute && this.lowRoute && this.isBeyondReach(candidate, this.lowRoute)) this.ceiling = amountIn
    else {
      this.low = amountIn
      this.previousLowRoute = this.lowRoute
      this.lowRoute = candidate
    }
  }

  /**
   * Returns true if the pools probably cannot take the larger input. This is so if it pays much less than the smaller
   * one. It is also so if it pays less, and is more than twice as large.
   */
  private isBeyondReach(larger: PricedRoute, smaller: PricedRoute): boolean {
    const ratio = Number(outputOfRoute(larger)) / Number(outputOfRoute(smaller))
    return ratio < BEYOND_REACH_OUTPUT_RATIO || (ratio < 1 && larger.amountIn > this.low * 2n)
  }

  /** Returns the next input to try; null if the interval is exhausted, or if probably no input pays enough. */
  private nextInput(): bigint | null {
    const { low, lowRoute, highRoute, ceiling } = this
    if (highRoute) return this.interpolate(highRoute)
    if (!lowRoute) {
      const amount = low > 0n ? low * DUST_STEP_UP : ceiling / PROBE_STEP_DOWN
      return amount > low && amount < ceiling ? amount : this.stepUpFromFirst()
    }
    if (this.isMarketFlat(lowRoute)) {
      const minAmount = this.minInputBySecant(lowRoute)
      return minAmount !== null && minAmount < ceiling ? minAmount : null
    }
    if ((ceiling - low) * REACH_PRECISION_DIVISOR < ceiling) return null
    if (this.isUnreachable && ceiling * UNREACHABLE_BRACKET_RATIO.den < low * UNREACHABLE_BRACKET_RATIO.num) return null
    const guess = wholeUnits(
      Math.max(extrapolate(lowRoute, Number(this.requiredOut)), this.extrapolateSecant(lowRoute)),
    )
    const maxGuess = low * PROBE_STEP_UP < ceiling ? low * PROBE_STEP_UP : (low + ceiling) / 2n
    return guess <= low ? low + 1n : guess < maxGuess || guess < (low + ceiling) / 2n ? guess : maxGuess
  }

  /**
   * Continues the search above the first input, once. The first input was estimated from the best spot rates, and the
   * pools with these rates may hold so little that they pay nothing.
   */
  private stepUpFromFirst(): bigint | null {
    const { firstInput, ceiling } = this
    const amount = firstInput * DUST_STEP_UP
    if (this.isSearchingUpward || ceiling > firstInput || amount >= AMOUNT_LIMIT) return null
    this.isSearchingUpward = true
    this.low = firstInput
    this.ceiling = AMOUNT_LIMIT
    return amount
  }

  /**
   * Extrapolates the slope between the last two inputs that paid too little. The result is too small, because marginal
   * output falls.
   */
  private extrapolateSecant(below: PricedRoute): number {
    const before = this.previousLowRoute
    if (!before) return 0
    const rise = Number(outputOfRoute(below) - outputOfRoute(before))
    // If pools disagree on prices, more input may pay less; the slope is then meaningless.
    if (rise <= 0) return 0
    const missing = Number(this.requiredOut - outputOfRoute(below))
    return Number(below.amountIn) + (missing * Number(below.amountIn - before.amountIn)) / rise
  }

  /**
   * Returns a lower bound on the input: the slope between the last two inputs that paid too little, extrapolated in
   * whole units. Marginal output falls, so no smaller input pays enough. Null if the required output is unreachable, or
   * if more input paid less.
   */
  private minInputBySecant(below: PricedRoute): bigint | null {
    const before = this.previousLowRoute!
    const maxRise = outputOfRoute(below) - outputOfRoute(before) + 1n
    if (this.isUnreachable || maxRise <= 0n) return null
    const missing = this.requiredOut - outputOfRoute(below)
    return below.amountIn + (missing * (below.amountIn - before.amountIn)) / maxRise + 1n
  }

  /**
   * Returns the next input within the interval; null if the interval is exhausted. Extrapolates from the end of the
   * interval whose output is nearer to the required one. Bisects every third time.
   */
  private interpolate(above: PricedRoute): bigint | null {
    const { low, lowRoute, requiredOut } = this
    const high = above.amountIn
    if (high - low <= 1n) return null
    if (++this.narrowings % 3 === 0) return (low + high) / 2n
    if (this.risesInSteps) return this.inputBelowStep(above)
    const near = lowRoute && this.distance(lowRoute) < this.distance(above) ? lowRoute : above
    const guess = wholeUnits(extrapolate(near, Number(requiredOut)))
    return guess > low && guess < high ? guess : (low + high) / 2n
  }

  /**
   * Lowers the upper end of the interval to the minimum input of its route, which is the start of a step of the output.
   * Returns this input less one unit, because another route may pay enough for it. Null if no route is known to do so.
   */
  private inputBelowStep(above: PricedRoute): bigint | null {
    const min = minInputOf(above, this.requiredOut, this.request)
    if (min && min.amountIn < above.amountIn) this.highRoute = { ...above, ...min }
    const amount = this.highRoute!.amountIn - 1n
    return amount > this.low ? amount : null
  }

  private distance(candidate: PricedRoute): number {
    return Math.abs(Number(outputOfRoute(candidate)) - Number(this.requiredOut))
  }

  /** Returns true if the minimum input is so close to the candidate's that the shares of the route can be reused. */
  private isNear(candidate: PricedRoute): boolean {
    if (relativeInputError(candidate, this.requiredOut) > MAX_INPUT_GAP_TO_REUSE) return false
    // If more input buys almost nothing, the slope does not determine the input, and the interval must be narrow.
    const { amountIn, price } = candidate
    if (price * Number(amountIn) > MIN_ELASTICITY * Number(outputOfRoute(candidate))) return true
    return (
      this.highRoute !== null && Number(this.highRoute.amountIn - this.low) <= MAX_INPUT_GAP_TO_REUSE * Number(amountIn)
    )
  }

  /**
   * Returns true if the last step multiplied the input but hardly raised the output, and another such rise would not
   * reach the required output. Either the pools cannot pay it, or the best pools hold almost nothing, and larger pools
   * pay much less per unit of input.
   */
  private isMarketFlat(last: PricedRoute): boolean {
    const { previousLowRoute: before, requiredOut } = this
    if (!before || last.amountIn < before.amountIn * MIN_FLAT_INPUT_RATIO) return false
    const gain = Number(outputOfRoute(last)) / Number(outputOfRoute(before))
    return (
      gain <= MAX_FLAT_OUTPUT_RATIO &&
      Number(requiredOut) > Number(outputOfRoute(last)) * Math.max(gain, MIN_FLAT_SHORTFALL_RATIO)
    )
  }

  /**
   * Repeats the search at the minimum input while a leg of the route stops near the end of its pool, or near a gap in
   * the pool's liquidity. The end of a pool is the maximum input that it takes. The input of such a leg does not grow
   * with the amount, so the shares found at another amount are not optimal.
   */
  private confirm(first: PricedRoute, result: RoutedInput): RoutedInput {
    let [candidate, min] = [first, result]
    for (let round = 0; round < MAX_CONFIRMATIONS && hasLegAtEndOrGap(candidate, min.amountIn); round++) {
      // At this estimate, the output hardly differs from the required one, so the shares of the route apply.
      const estimate = wholeUnits(extrapolate(candidate, Number(this.requiredOut)))
      const retry = this.routeAt(estimate < min.amountIn ? estimate : min.amountIn, false)
      const better = retry && minInputOf(retry, this.requiredOut, this.request)
      if (!better || better.amountIn >= min.amountIn) break
      candidate = retry
      min = better
    }
    return min
  }

  /**
   * Tries a smaller input, once, if a route's output is far below the bound. Then later pools of the best path may be
   * full, and more input may buy less. If the smaller input pays enough, the search continues below it.
   */
  private paysWithSmaller({ route, amountIn }: PricedRoute, min: bigint): boolean {
    const { bound, settlement } = route
    const isLoose = bound === null || bound > Number(settlement.amountOut) * LOOSE_BOUND_RATIO
    if (!isLoose || this.hasTriedSmaller) return false
    this.hasTriedSmaller = true
    const smallerInput = ((amountIn < min ? amountIn : min) * SMALLER_INPUT_QUARTERS) / 4n
    const candidate = this.routeAt(smallerInput, false)
    if (!candidate || outputOfRoute(candidate) < this.requiredOut) return false
    this.low = 0n
    this.lowRoute = this.previousLowRoute = null
    this.highRoute = candidate
    return true
  }

  /**
   * Returns the minimum input of the route whose output is nearest to the required one; if none has one, a tried input.
   */
  private nearestRoute(): RoutedInput | null {
    const { highRoute, lowRoute, gasFreeRoute, requiredOut } = this
    const candidates = [highRoute, lowRoute].filter((candidate) => candidate !== null)
    for (const candidate of [...candidates.toSorted((a, b) => this.distance(a) - this.distance(b)), gasFreeRoute]) {
      const min = candidate && minInputOf(candidate, requiredOut, this.request)
      if (min) return min
    }
    return highRoute ?? gasFreeRoute ?? lowRoute
  }
}

/**
 * Upper bound on the output of any input, in output base units: the total that all pools can pay of the output token.
 */
function outputBound(problem: Problem): number {
  const { graph, target, rate, outputFactors, budget } = problem
  const { offset, reverse } = graph.topology
  budget.spend(offset[target + 1]! - offset[target]!)
  let max = 0
  for (let outgoingEdge = offset[target]!; outgoingEdge < offset[target + 1]!; outgoingEdge++) {
    const edge = reverse[outgoingEdge]!
    // Price curves include output discounts, which only rank routes. Pools pay the output without them.
    if (rate[edge]! > 0)
      max += outputOf(curveOf(problem, edge), Number.POSITIVE_INFINITY) / (outputFactors.get(edge) ?? 1)
  }
  return max
}

/**
 * First input to try: the input with which the best path at spot rates pays the output. If this path cannot pay it, the
 * spot rate alone gives the input. If only few pools are allowed, the best pools for a small amount may be too small.
 * Then the path that pays the output for the minimum input is used instead.
 */
function initialInput(problem: Problem, requiredOut: number): number {
  if (problem.maxPools <= problem.maxHops) {
    const input = singlePathInput(problem, requiredOut)
    if (Number.isFinite(input)) return input
  }
  const backward = bestSpotRates(problem, problem.target)
  const rate = backward.maxRate[problem.source]!
  const path = pathTo(problem, backward, problem.source, problem.target)
  const needed = path?.reduceRight((amount, edge) => unitsFor(problem, edge, amount), requiredOut)
  if (needed !== undefined && Number.isFinite(needed)) return needed
  return rate > 0 ? requiredOut / rate : 1
}

/** Minimum input of all paths that pay an output; infinite if no path does. */
function singlePathInput(problem: Problem, requiredOut: number): number {
  const { graph, source, target, maxHops, maxPools, rateBack, budget } = problem
  const { offset, to, reverse } = graph.topology
  const maxPathHops = Math.min(maxHops, maxPools)
  const hopsFromSource = distancesFrom(problem, source)
  /** By token: minimum amount that buys the output. */
  const amounts = new Map([[target, requiredOut]])
  /** The amounts that changed in the previous round. */
  let layer = new Map(amounts)
  for (let hop = 1; hop <= maxPathHops && layer.size > 0; hop++) {
    const nextLayer = new Map<number, number>()
    for (const [token, amountOut] of layer) {
      const end = offset[token + 1]!
      budget.spend(1 + 2 * (end - offset[token]!))
      for (let edge = offset[token]!; edge < end; edge++) {
        const tokenIn = to[edge]!
        if (rateBack[edge] === 0 || tokenIn === target || hop + hopsFromSource[tokenIn]! > maxPathHops) continue
        const amountIn = unitsFor(problem, reverse[edge]!, amountOut)
        if (!(amountIn < (amounts.get(tokenIn) ?? Number.POSITIVE_INFINITY))) continue
        amounts.set(tokenIn, amountIn)
        nextLayer.set(tokenIn, amountIn)
      }
    }
    layer = nextLayer
  }
  return amounts.get(source) ?? Number.POSITIVE_INFINITY
}

/**
 * Input of an edge (a pool in one direction) for an output, rounded up to whole base units, because the amount of a
 * token may be few units.
 */
const unitsFor = (problem: Problem, edge: number, amountOut: number): number =>
  Math.ceil(inputOf(curveOf(problem, edge), amountOut) * UNIT_MARGIN)

/** Output per additional unit of input. All legs grow in proportion, which is optimal to first order. */
function marginalPrice(problem: Problem, { flow }: SettledRoute): number {
  const enlargedProblem = { ...problem, amountIn: problem.amountIn * (1 + OUTPUT_MARGIN) }
  const scaledFlow = pushThrough(enlargedProblem, flow.edges, flow.input)
  const price = ((scaledFlow?.amountOut ?? 0) - flow.amountOut) / (problem.amountIn * OUTPUT_MARGIN)
  return Math.max(price, 0)
}

/**
 * Extrapolates a route as if it were one pool of x·y = k with the route's output and marginal price. Returns the input
 * at which this pool would pay the required output; ∞ if it never does.
 */
function extrapolate({ amountIn, route, price }: PricedRoute, requiredOut: number): number {
  const output = Number(route.settlement.amountOut)
  const average = output / Number(amountIn)
  // The pool pays f(x) = a·x / (1 + b·x) for an input x, so 1 + b·x is the ratio of its average to its marginal price.
  const priceFall = Math.max(1, average / price)
  const a = average * priceFall
  const b = (priceFall - 1) / Number(amountIn)
  return requiredOut < a / b ? requiredOut / (a - b * requiredOut) : Number.POSITIVE_INFINITY
}

/** Rounds up to base units, limited to the maximum amount of a leg. */
function wholeUnits(amount: number): bigint {
  return amount < Number(AMOUNT_LIMIT) ? BigInt(Math.ceil(amount)) : AMOUNT_LIMIT - 1n
}

/** Relative difference between a route's input and the input that extrapolation gives for an output. */
function relativeInputError(candidate: PricedRoute, requiredOut: bigint): number {
  const { amountIn } = candidate
  return outputOfRoute(candidate) === requiredOut
    ? 0
    : Math.abs(extrapolate(candidate, Number(requiredOut)) / Number(amountIn) - 1)
}

/**
 * Returns true if a leg stops near the end of its pool, or near a gap in the pool's liquidity. How near depends on the
 * difference between the route's input and `min`.
 */
function hasLegAtEndOrGap({ problem, route, amountIn }: PricedRoute, min: bigint): boolean {
  const distance = STOP_DISTANCE_PER_CHANGE * Math.abs(Number(min) / Number(amountIn) - 1) + STOP_DISTANCE
  const { edges, input } = route.flow
  return edges.some((edge, k) =>
    crossesFlat(curveOf(problem, edge), input[k]! * (1 - distance), input[k]! * (1 + distance)),
  )
}
