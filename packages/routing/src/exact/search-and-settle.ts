/**
 * Alternates search and settlement until a route settles. To settle a route is to compute its amounts in exact integers
 * by the pools' own arithmetic. A pool may then refuse the amount that the search assigns to it, or pay less than its
 * price curve. A route is coarse if rounding to whole units may take a significant part of its output. An edge is a
 * pool in one direction. Called by `best-route.ts`.
 */

import { bestSinglePath } from '../columns/single-path.ts'
import { NO_PRICES } from '../columns/upper-bound.ts'
import { capacityOf, outputOf } from '../graph/price-curve.ts'
import { QUOTE_WORK } from '../problem/budget.ts'
import { bestSpotRates } from '../problem/potentials.ts'
import {
  type Admission,
  curveOf,
  extraGasOf,
  legCost,
  type Problem,
  withExtraGas,
  withoutEdges,
} from '../problem/problem.ts'
import { rankAlternatives } from '../refine/alternatives.ts'
import { type SearchResult, search } from '../search.ts'
import { alongPath, pushThrough } from '../solver/flow.ts'
import { usesPoolTwice } from '../solver/shared-pools.ts'
import type { Taxes } from '../taxes.ts'
import {
  BELOW_CURVE_SHARE,
  FEW_UNITS,
  MAX_COARSE_SEARCHES,
  MAX_EXACT_QUOTES,
  MAX_FAILED_AMOUNTS,
  MAX_FALLBACK_LOSS,
  MAX_REFUSALS,
  SUSPICIOUS_GAP,
  UNEXPECTED_GAS_SHARE,
  UNIT_ROUNDING_GAP,
} from '../tolerances.ts'
import type { Leg } from '../types.ts'
import { discountedOutput } from './drift-penalties.ts'
import {
  limitedBelowRefused,
  withoutRefused,
  withRoomInFullPools,
  withSingleUse,
  withSmallerLegs,
} from './restrictions.ts'
import { LegRefused, outputOfPool, type Settlement, settle } from './settle.ts'

/** A search result with its settlement. */
export type SettledRoute = SearchResult & {
  readonly settlement: Settlement
  /**
   * Edges that were removed from the search's flow, because their legs were too small for their pools; absent if none.
   */
  readonly droppedEdges?: readonly number[]
}

/**
 * Searches and settles a route. If the route is coarse, also searches routes without its coarse legs. Null if no route
 * is found.
 */
export function searchAndSettle(
  problem: Problem,
  amountIn: bigint,
  admission: Admission,
  taxes?: Taxes,
): SettledRoute | null {
  const firstRoute = searchUntilSettled(problem, amountIn, admission, taxes)
  if (!firstRoute) return null
  const searchAgain = (changedProblem: Problem) => searchUntilSettled(changedProblem, amountIn, admission, taxes)
  const result = improveForSettledGas(problem, firstRoute, searchAgain, taxes)
  if (!isCoarse(problem, result)) return result
  const finerRoutes = [
    attemptWithHalfBudget(problem, () => searchWithoutCoarseEdges(problem, result, amountIn, taxes)),
    attemptWithHalfBudget(problem, () => bestPathInWholeUnits(problem, amountIn, taxes)),
  ]
  return finerRoutes.reduce<SettledRoute>(
    (best, candidate) =>
      candidate && netOutputOf(problem, candidate) > netOutputOf(problem, best) ? withBounds(candidate, result) : best,
    result,
  )
}

/**
 * Improves a route whose settled legs take much more gas than their price curves indicate, because the pools' own
 * arithmetic crosses more ticks. Searches again with this gas, and again with slightly smaller legs. Returns the best
 * of these routes and the given one.
 */
function improveForSettledGas(
  problem: Problem,
  result: SettledRoute,
  searchAgain: (changedProblem: Problem) => SettledRoute | null,
  taxes?: Taxes,
): SettledRoute {
  if (problem.costPerGas === 0) return result
  const unexpectedGas = unexpectedGasOf(problem, result)
  const totalUnexpectedGas = [...unexpectedGas.values()].reduce((total, gas) => total + gas, 0)
  if (!(totalUnexpectedGas * problem.costPerGas > UNEXPECTED_GAS_SHARE * discountedOutput(problem, result.settlement)))
    return result
  const costlierProblem = withExtraGas(problem, (edge) => unexpectedGas.get(edge) ?? 0)
  const smallerLegsProblem = attemptWithHalfBudget(problem, () => withSmallerLegs(problem, result.settlement, taxes))
  const netAfterGas = (route: SettledRoute) => {
    const totalGas = [...unexpectedGasOf(problem, route).values()].reduce((total, gas) => total + gas, 0)
    return netOutputOf(problem, route) - totalGas * problem.costPerGas
  }
  return [costlierProblem, smallerLegsProblem].reduce((best, changedProblem) => {
    const otherRoute = changedProblem && attemptWithHalfBudget(problem, () => searchAgain(changedProblem))
    // `costlierProblem` ranks the alternatives with the gas of the settlement.
    return otherRoute ? pickRoute(costlierProblem, best, otherRoute, netAfterGas(otherRoute) > netAfterGas(best)) : best
  }, result)
}

/**
 * Returns one of two routes, with the bounds of `result`. The other one is added to its alternatives.
 *
 * @param picksOther - true to return `otherRoute`
 */
export function pickRoute(
  problem: Problem,
  result: SettledRoute,
  otherRoute: SettledRoute,
  picksOther: boolean,
): SettledRoute {
  const [best, unpicked] = picksOther ? [withBounds(otherRoute, result), result] : [result, otherRoute]
  return {
    ...best,
    alternatives: rankAlternatives(problem, best.flow, [unpicked.flow, ...best.alternatives, ...unpicked.alternatives]),
  }
}

/** Gives the route of a restricted problem the bounds of the whole problem. */
const withBounds = (
  route: SettledRoute,
  { bound, hiddenBound, tokenPrices, netBound, spotRates }: SearchResult,
): SettledRoute => ({
  ...route,
  bound,
  hiddenBound,
  tokenPrices,
  netBound,
  spotRates,
})

/** By edge: gas of its settled legs, less the gas that the search assumed. Differences of at most 1 are left out. */
function unexpectedGasOf(problem: Problem, { flow, settlement }: SettledRoute): ReadonlyMap<number, number> {
  const { costPerGas, costPerLeg } = problem
  const gasByEdge = new Map<number, number>()
  for (const [k, edge] of settlement.edges.entries())
    gasByEdge.set(edge, (gasByEdge.get(edge) ?? 0) + settlement.legs[k]!.gas + extraGasOf(problem, edge))
  const unexpectedGas = new Map<number, number>()
  for (const [edge, gas] of gasByEdge) {
    const estimatedGas = (legCost(problem, edge, flow.input[flow.edges.indexOf(edge)]!) - costPerLeg) / costPerGas
    if (Math.abs(gas - estimatedGas) > 1) unexpectedGas.set(edge, gas - estimatedGas)
  }
  return unexpectedGas
}

/**
 * Returns true if a route is coarse. It is coarse if it is not close to the bound, and one of its legs buys few units,
 * was too small for its pool, or pays less than its price curve.
 */
function isCoarse(problem: Problem, { settlement, bound, droppedEdges }: SettledRoute): boolean {
  const { legs } = settlement
  if (bound !== null && discountedOutput(problem, settlement) > bound * (1 - UNIT_ROUNDING_GAP)) return false
  return (
    droppedEdges !== undefined ||
    legs.some((leg) => leg.amountOut < FEW_UNITS) ||
    edgesBelowCurve(problem, settlement).length > 0
  )
}

/**
 * Searches routes without the edges that make a route coarse (see `coarseEdges`). Each route found may use other such
 * edges, so several searches run. Returns the best route found.
 */
function searchWithoutCoarseEdges(
  problem: Problem,
  result: SettledRoute,
  amountIn: bigint,
  taxes?: Taxes,
): SettledRoute | null {
  const { to } = problem.graph.topology
  const coarseTokens = new Set<number>()
  let best: SettledRoute | null = null
  let narrowedProblem = problem
  let closedEdges = coarseEdges(problem, result)
  for (let round = 1; round <= MAX_COARSE_SEARCHES && closedEdges.length > 0; round++) {
    for (const edge of closedEdges) coarseTokens.add(to[edge]!)
    coarseTokens.delete(problem.target)
    // Other edges that buy the same tokens often buy few units, too, so the last round closes all edges to these
    // tokens.
    const isLast = round === MAX_COARSE_SEARCHES
    narrowedProblem = withoutEdges(
      narrowedProblem,
      isLast ? Array.from(to.keys()).filter((edge) => coarseTokens.has(to[edge]!)) : closedEdges,
    )
    const nextResult = search(narrowedProblem)
    const outcome = nextResult && settleFlow(nextResult, narrowedProblem, amountIn, taxes)
    if (outcome === null) break
    if (outcome instanceof LegRefused) closedEdges = [outcome.edge]
    else {
      if (!best || netOutputOf(problem, outcome) > netOutputOf(problem, best)) best = outcome
      closedEdges = coarseEdges(problem, outcome)
    }
  }
  return best
}

/**
 * Edges whose legs were too small. If there are none: edges that buy few units of an intermediate token, or pay less
 * than their price curves.
 */
function coarseEdges(problem: Problem, { droppedEdges, settlement }: SettledRoute): readonly number[] {
  const { legs, edges } = settlement
  const { to } = problem.graph.topology
  // Without the legs that were too small, other legs carry more and may no longer be coarse, so they stay.
  if (droppedEdges) return droppedEdges
  const fewUnitEdges = edges.filter((edge, k) => legs[k]!.amountOut < FEW_UNITS && to[edge] !== problem.target)
  return [...fewUnitEdges, ...edgesBelowCurve(problem, settlement)]
}

/**
 * Edges whose legs pay much less than their price curves, because rounding in the pool costs a fixed amount. Empty if a
 * pool is used twice, because price curves only apply to the state before the route.
 */
function edgesBelowCurve(problem: Problem, { legs, edges }: Settlement): readonly number[] {
  if (usesPoolTwice(problem.graph, edges)) return []
  const isBelow = (edge: number, { amountIn, amountOut }: Leg) =>
    Number(amountOut) < outputOf(curveOf(problem, edge), Number(amountIn)) * (1 - BELOW_CURVE_SHARE)
  return edges.filter((edge, k) => isBelow(edge, legs[k]!))
}

/** Returns the best path by exact pool quotes in whole units; null if no path pays a unit. */
export function bestPathInWholeUnits(problem: Problem, amountIn: bigint, taxes?: Taxes): SettledRoute | null {
  const { graph, target, adjustedCurves } = problem
  const spotRates = bestSpotRates(problem, target)
  const path = bestSinglePath(problem, spotRates, {
    output: (edge, amount) => {
      // Pools do not know the input limits of the request and of earlier refusals. These limits end price curves.
      const curve = adjustedCurves.get(edge)
      return curve && amount > capacityOf(curve)
        ? 0
        : Number(outputOfPool(graph.edges[edge]!, BigInt(Math.round(amount)), taxes))
    },
    maxQuotes: MAX_EXACT_QUOTES,
    workPerQuote: QUOTE_WORK,
  })
  const flow = path && alongPath(problem, path)
  const outcome =
    flow &&
    trySettle(
      { flow, bound: null, hiddenBound: 0, tokenPrices: NO_PRICES, netBound: undefined, spotRates, alternatives: [] },
      problem,
      amountIn,
      taxes,
    )
  return outcome instanceof LegRefused ? null : outcome
}

/**
 * Searches until a route settles. If a pool refuses its leg because of the size, its input is limited to the amount
 * that it accepts, and the search is repeated. If a pool refuses for another reason, the search is repeated without the
 * pool. The bounds come from the first search, over all admitted pools.
 */
function searchUntilSettled(
  wholeProblem: Problem,
  amountIn: bigint,
  admission: Admission,
  taxes?: Taxes,
): SettledRoute | null {
  let problem = wholeProblem
  let firstResult: SearchResult | null = null
  /** By edge: number of amounts that its pool refused. */
  const failureCounts = new Map<number, number>()
  /**
   * The problem without the pool that refused last. It is tried next if `problem`, which only limits the input of this
   * pool, has no route.
   */
  let problemWithoutPool: Problem | null = null
  /** Route that uses each pool only once, found after a pool that was used twice refused. */
  let singleUseRoute: SettledRoute | null = null
  const betterOf = (route: SettledRoute, otherRoute: SettledRoute | null) =>
    firstResult && otherRoute && netOutputOf(problem, otherRoute) > netOutputOf(problem, route)
      ? withBounds(otherRoute, firstResult)
      : route
  for (let refusals = 0; refusals <= MAX_REFUSALS; refusals++) {
    const result = search(problem, firstResult)
    if (!result && problemWithoutPool) {
      problem = problemWithoutPool
      problemWithoutPool = null
      continue
    }
    if (!result && problem.mayReusePools && !singleUseRoute) {
      // If routes may use several pairs of one pool, the search may leave a part of the input unsold. With single
      // pairs, it may sell everything.
      problem = { ...problem, mayReusePools: false }
      continue
    }
    if (!result) return singleUseRoute
    firstResult ??= result
    const outcome = settleFlow(result, problem, amountIn, taxes)
    admission.hasSmallLegs ||= outcome === null || (outcome instanceof LegRefused && outcome.code === 'TOO_SMALL')
    if (outcome === null) return singleUseRoute
    if (!(outcome instanceof LegRefused)) {
      const route = withBounds(outcome, firstResult)
      if (!problem.mayReusePools || (!outcome.settlement.reusesPool && !mayMissLiquidity(problem, route)))
        return betterOf(route, singleUseRoute)
      const newSingleUseRoute = attemptWithHalfBudget(problem, () =>
        searchUntilSettled({ ...problem, mayReusePools: false }, amountIn, admission, taxes),
      )
      return betterOf(betterOf(route, newSingleUseRoute), singleUseRoute)
    }
    if (outcome.reusesPool && problem.mayReusePools) {
      const openProblem = withSingleUse(problem, result)
      const route =
        openProblem && attemptWithHalfBudget(problem, () => searchUntilSettled(openProblem, amountIn, admission, taxes))
      singleUseRoute = route && withBounds(route, firstResult)
    }
    const failureCount = (failureCounts.get(outcome.edge) ?? 0) + 1
    failureCounts.set(outcome.edge, failureCount)
    const limitedProblem = failureCount > MAX_FAILED_AMOUNTS ? null : limitedBelowRefused(problem, outcome, taxes)
    const reducedProblem = withoutRefused(problem, outcome, admission)
    problem = limitedProblem ?? reducedProblem
    problemWithoutPool = limitedProblem && reducedProblem
  }
  return singleUseRoute
}

/** Runs an optional improvement with half of the remaining budget. Returns null if the budget does not suffice. */
export function attemptWithHalfBudget<T>({ budget }: Problem, run: () => T): T | null {
  return budget.attempt(1 / 2, run, () => null)
}

/**
 * Returns true if the route is a single path and its output is below the bound by more than the cost of one more leg.
 * The limits on pools and hops may then have reduced a better divided route to this path.
 */
function mayMissLiquidity(
  problem: Problem,
  { flow: { edges, input, hops }, bound, settlement }: SettledRoute,
): boolean {
  if (edges.length > hops) return false
  if (bound === null) return true
  const minCost = Math.min(...edges.map((edge, k) => legCost(problem, edge, input[k]!)))
  return bound - discountedOutput(problem, settlement) > Math.max(SUSPICIOUS_GAP * bound, minCost)
}

/**
 * Settles the alternatives of a route. Drops alternatives that a pool refuses, and those with the same legs as an
 * earlier route: different flows may settle to the same amounts.
 */
export function settleAlternatives(
  problem: Problem,
  { alternatives, ...result }: SettledRoute,
  amountIn: bigint,
  taxes?: Taxes,
): readonly SettledRoute[] {
  const settledLegs = new Set([legsKeyOf(result.settlement)])
  return alternatives.flatMap((flow) => {
    const outcome = attemptWithHalfBudget(problem, () =>
      trySettle({ ...result, flow, alternatives: [] }, problem, amountIn, taxes),
    )
    if (outcome === null || outcome instanceof LegRefused) return []
    const key = legsKeyOf(outcome.settlement)
    if (settledLegs.has(key)) return []
    settledLegs.add(key)
    return [outcome]
  })
}

/** Names the legs of a settlement, in any order. */
const legsKeyOf = ({ legs, edges }: Settlement): string =>
  legs
    .map(({ amountIn, amountOut }, k) => `${edges[k]} ${amountIn} ${amountOut}`)
    .sort()
    .join()

/**
 * Settles the flow of a search. If a pool refuses, settles the fallback flow instead. If the fallback loses much, also
 * settles a flow that leaves some room in full pools, and returns the better route. Returns the refusal if no flow
 * settles, and null if a flow pays nothing.
 */
function settleFlow(
  result: SearchResult,
  problem: Problem,
  amountIn: bigint,
  taxes?: Taxes,
): SettledRoute | LegRefused | null {
  const { flow, fallback } = result
  const outcome = settleWithoutSmallLegs(result, problem, amountIn, taxes)
  if (!(fallback && outcome instanceof LegRefused)) return outcome
  const fallbackOutcome = settleWithoutSmallLegs({ ...result, flow: fallback }, problem, amountIn, taxes)
  const fallbackNet =
    fallbackOutcome === null || fallbackOutcome instanceof LegRefused ? 0 : netOutputOf(problem, fallbackOutcome)
  if (fallbackNet > flow.net * (1 - MAX_FALLBACK_LOSS)) return fallbackOutcome
  const roomierProblem = withRoomInFullPools(problem, flow)
  const roomierResult = roomierProblem && attemptWithHalfBudget(problem, () => search(roomierProblem, result))
  const roomierRoute =
    roomierResult && settleWithoutSmallLegs({ ...result, flow: roomierResult.flow }, problem, amountIn, taxes)
  return roomierRoute && !(roomierRoute instanceof LegRefused) && netOutputOf(problem, roomierRoute) > fallbackNet
    ? roomierRoute
    : fallbackOutcome
}

/** Settles a flow. Drops legs that are too small for their pools if other legs can take their input. */
function settleWithoutSmallLegs(
  result: SearchResult,
  problem: Problem,
  amountIn: bigint,
  taxes?: Taxes,
): SettledRoute | LegRefused | null {
  let { flow } = result
  const droppedEdges: number[] = []
  // Each round drops one leg, or is the last.
  for (;;) {
    const outcome = trySettle(
      { ...result, flow, ...(droppedEdges.length > 0 && { droppedEdges }) },
      problem,
      amountIn,
      taxes,
    )
    if (!(outcome instanceof LegRefused && outcome.code === 'TOO_SMALL')) return outcome
    const isKept = flow.edges.map((edge) => edge !== outcome.edge)
    const remainingFlow = pushThrough(
      problem,
      flow.edges.filter((_, k) => isKept[k]),
      flow.input.filter((_, k) => isKept[k]),
    )
    if (!remainingFlow || remainingFlow.unsoldShare > 0 || remainingFlow.edges.length >= flow.edges.length)
      return outcome
    droppedEdges.push(outcome.edge)
    flow = remainingFlow
  }
}

/** Settles the flow of a result. Null if it pays nothing. */
function trySettle(
  result: Omit<SettledRoute, 'settlement'>,
  problem: Problem,
  amountIn: bigint,
  taxes?: Taxes,
): SettledRoute | LegRefused | null {
  try {
    const settlement = settle(problem, result.flow, amountIn, taxes)
    return settlement.amountOut > 0n ? { ...result, settlement } : null
  } catch (error) {
    if (error instanceof LegRefused) return error
    throw error
  }
}

/**
 * Net output of a route by which it is ranked: output after discounts, less the cost of its legs, in output base units.
 */
export function netOutputOf(problem: Problem, { flow, settlement }: SettledRoute): number {
  const cost = flow.edges.reduce((sum, edge, k) => sum + legCost(problem, edge, flow.input[k]!), 0)
  return discountedOutput(problem, settlement) - cost
}
