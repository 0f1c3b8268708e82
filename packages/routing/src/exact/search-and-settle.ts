/** Alternates search and settlement until they agree: a pool may refuse the searched amount, or occur twice in a route. */

import { bestSinglePath } from '../columns/single-path.ts'
import { type CompiledCurve, capacityOf, outputOf, upToInput } from '../graph/price-curve.ts'
import { rankAlternatives } from '../integrate/alternatives.ts'
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
import { type SearchResult, search } from '../search.ts'
import { alongPath, type Flow, pushThrough } from '../solver/flow.ts'
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
  MAX_REFUSED_STEPS,
  REFUSED_STEP_DIVISOR,
  ROOM_IN_FULL_POOLS,
  SUSPICIOUS_GAP,
  TICK_MARGIN_DIVISOR,
  UNEXPECTED_GAS_SHARE,
  UNIT_ROUNDING_GAP,
} from '../tolerances.ts'
import type { Leg } from '../types.ts'
import { discountedOutput } from './drift-penalties.ts'
import { LegRefused, legOf, outputOfPool, type Settlement, settle } from './settle.ts'

/** A search result with its settlement. */
export type SettledRoute = SearchResult & {
  readonly settlement: Settlement
  /** Edges of the search's flow that the route lacks, because their legs were too small for their pools. */
  readonly droppedEdges?: readonly number[]
}

/** Searches and settles; searches again without edges that perform worse in whole units than in floats. Null if nothing routes. */
export function searchAndSettle(
  problem: Problem,
  amountIn: bigint,
  admission: Admission,
  taxes?: Taxes,
): SettledRoute | null {
  const firstRoute = searchUntilSettled(problem, amountIn, admission, taxes)
  if (!firstRoute) return null
  const searchAgain = (changedProblem: Problem) => searchUntilSettled(changedProblem, amountIn, admission, taxes)
  const result = withSettledGas(problem, firstRoute, searchAgain, taxes)
  if (!isCoarse(problem, result)) return result
  const finerRoutes = [
    attemptWithHalf(problem, () => withoutCoarseEdges(problem, result, amountIn, taxes)),
    attemptWithHalf(problem, () => bestPathInWholeUnits(problem, amountIn, taxes)),
  ]
  return finerRoutes.reduce<SettledRoute>(
    (best, other) => (other && netOf(problem, other) > netOf(problem, best) ? withBounds(other, result) : best),
    result,
  )
}

/**
 * Repeats the search if the settled legs cost so much more gas than their price curves indicate (ticks crossed in the
 * pool's own arithmetic) that another route may be better: one without these legs, or one in which they are smaller.
 */
function withSettledGas(
  problem: Problem,
  result: SettledRoute,
  searchAgain: (changed: Problem) => SettledRoute | null,
  taxes?: Taxes,
): SettledRoute {
  if (problem.costPerGas === 0) return result
  const unexpectedGas = unexpectedGasOf(problem, result)
  const totalUnexpectedGas = [...unexpectedGas.values()].reduce((total, gas) => total + gas, 0)
  if (!(totalUnexpectedGas * problem.costPerGas > UNEXPECTED_GAS_SHARE * discountedOutput(problem, result.settlement)))
    return result
  const costlierProblem = withExtraGas(problem, (edge) => unexpectedGas.get(edge) ?? 0)
  const smallerLegsProblem = attemptWithHalf(problem, () => withSmallerLegs(problem, result, taxes))
  const netAfterGas = (route: SettledRoute) => {
    const totalGas = [...unexpectedGasOf(problem, route).values()].reduce((total, gas) => total + gas, 0)
    return netOf(problem, route) - totalGas * problem.costPerGas
  }
  return [costlierProblem, smallerLegsProblem].reduce((best, changedProblem) => {
    const otherRoute = changedProblem && attemptWithHalf(problem, () => searchAgain(changedProblem))
    // Alternatives are ranked with the gas of the settlement.
    return otherRoute ? pickRoute(costlierProblem, best, otherRoute, netAfterGas(otherRoute) > netAfterGas(best)) : best
  }, result)
}

/** Limits edges to slightly less than their legs, if that costs less gas: settlement rounds legs past ticks. Null if none does. */
function withSmallerLegs(problem: Problem, { settlement }: SettledRoute, taxes?: Taxes): Problem | null {
  const limitedCurves = new Map<number, CompiledCurve>()
  for (const [k, edge] of settlement.edges.entries()) {
    const { amountIn, gas } = settlement.legs[k]!
    const smallerInput = amountIn - amountIn / TICK_MARGIN_DIVISOR - 1n
    problem.budget.spend(QUOTE_WORK)
    const smallerLeg = legOf(problem.graph.edges[edge]!, smallerInput, taxes)
    if (smallerLeg && smallerLeg.gas < gas)
      limitedCurves.set(edge, upToInput(curveOf(problem, edge), Number(smallerInput)))
  }
  return limitedCurves.size > 0 ? withCurves(problem, limitedCurves) : null
}

const withCurves = (problem: Problem, curves: ReadonlyMap<number, CompiledCurve>): Problem => ({
  ...problem,
  adjustedCurves: new Map([...problem.adjustedCurves, ...curves]),
})

/** Returns one of two routes with the bounds of the first, and the other one among its alternatives. */
export function pickRoute(
  problem: Problem,
  result: SettledRoute,
  other: SettledRoute,
  picksOther: boolean,
): SettledRoute {
  const [best, unpicked] = picksOther ? [withBounds(other, result), result] : [result, other]
  return {
    ...best,
    alternatives: rankAlternatives(problem, best.flow, [unpicked.flow, ...best.alternatives, ...unpicked.alternatives]),
  }
}

/** Replaces the bounds of a restricted problem's route by those of the whole problem. */
const withBounds = (route: SettledRoute, { bound, beyondCurves, netBound, backward }: SearchResult): SettledRoute => ({
  ...route,
  bound,
  beyondCurves,
  netBound,
  backward,
})

/** By edge: difference between the gas of the settled legs and the gas used for ranking. */
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

/** Returns true if a leg buys so few units, or was too small, that rounding takes a significant part. */
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
 * The best route without legs that were too small, and without intermediate legs that buy few units. A repeated search
 * may run into other such edges, so it is repeated.
 */
function withoutCoarseEdges(
  problem: Problem,
  result: SettledRoute,
  amountIn: bigint,
  taxes?: Taxes,
): SettledRoute | null {
  const { to } = problem.graph.topology
  const coarseTokens = new Set<number>()
  let best: SettledRoute | null = null
  let openProblem = problem
  let closedEdges = coarseEdges(problem, result)
  for (let round = 1; round <= MAX_COARSE_SEARCHES && closedEdges.length > 0; round++) {
    for (const edge of closedEdges) coarseTokens.add(to[edge]!)
    coarseTokens.delete(problem.target)
    // Further edges buy few units of the same tokens, so the last round closes all of them.
    const isLast = round === MAX_COARSE_SEARCHES
    openProblem = withoutEdges(
      openProblem,
      isLast ? Array.from(to.keys()).filter((edge) => coarseTokens.has(to[edge]!)) : closedEdges,
    )
    const nextResult = search(openProblem)
    const outcome = nextResult && settleFlow(nextResult, openProblem, amountIn, taxes)
    if (outcome === null) break
    if (outcome instanceof LegRefused) closedEdges = [outcome.edge]
    else {
      if (!best || netOf(problem, outcome) > netOf(problem, best)) best = outcome
      closedEdges = coarseEdges(problem, outcome)
    }
  }
  return best
}

/** Edges whose legs were too small, or else those that buy few units of an intermediate token. */
function coarseEdges(problem: Problem, { droppedEdges, settlement }: SettledRoute): readonly number[] {
  const { legs, edges } = settlement
  const { to } = problem.graph.topology
  // Legs next to the one that was too small may be large without it.
  if (droppedEdges) return droppedEdges
  const fewUnitEdges = edges.filter((edge, k) => legs[k]!.amountOut < FEW_UNITS && to[edge] !== problem.target)
  return [...fewUnitEdges, ...edgesBelowCurve(problem, settlement)]
}

/**
 * Edges whose legs pay less than their curves, since the pool's rounding takes a fixed amount; none if a pool is used twice, because
 * its curves hold for the state before the route.
 */
function edgesBelowCurve(problem: Problem, { legs, edges }: Settlement): readonly number[] {
  if (usesPoolTwice(problem.graph, edges)) return []
  const isBelow = (edge: number, { amountIn, amountOut }: Leg) =>
    Number(amountOut) < outputOf(curveOf(problem, edge), Number(amountIn)) * (1 - BELOW_CURVE_SHARE)
  return edges.filter((edge, k) => isBelow(edge, legs[k]!))
}

/** Returns the best path by exact pool quotes in whole units; null if no path pays a unit. */
export function bestPathInWholeUnits(problem: Problem, amountIn: bigint, taxes?: Taxes): SettledRoute | null {
  const { graph, target } = problem
  const backward = bestSpotRates(problem, target, 'to')
  const path = bestSinglePath(problem, backward, {
    output: (edge, amount) => Number(outputOfPool(graph.edges[edge]!, BigInt(Math.round(amount)), taxes)),
    maxQuotes: MAX_EXACT_QUOTES,
    workPerQuote: QUOTE_WORK,
  })
  const flow = path && alongPath(problem, path)
  const outcome =
    flow &&
    trySettle(
      { flow, bound: null, beyondCurves: 0, netBound: undefined, backward, alternatives: [] },
      problem,
      amountIn,
      taxes,
    )
  return outcome instanceof LegRefused ? null : outcome
}

/**
 * Searches and settles until a route settles. If a pool refuses the size of its leg, the search repeats with the pool cut to what
 * it takes; if it refuses for another reason, without the pool. The bounds are those of the first search, over all admitted pools.
 */
function searchUntilSettled(
  wholeProblem: Problem,
  amountIn: bigint,
  admission: Admission,
  taxes?: Taxes,
): SettledRoute | null {
  let problem = wholeProblem
  let firstResult: SearchResult | null = null
  /** By edge: number of amounts at which the pool's arithmetic failed. */
  const failureCounts = new Map<number, number>()
  /** The current problem without the pool that refused last, if the current problem only limits that pool. */
  let problemWithoutPool: Problem | null = null
  /** Route without the second use of a pool that refused it. */
  let singleUseRoute: SettledRoute | null = null
  const betterOf = (route: SettledRoute, other: SettledRoute | null) =>
    firstResult && other && netOf(problem, other) > netOf(problem, route) ? withBounds(other, firstResult) : route
  for (let refusals = 0; refusals <= MAX_REFUSALS; refusals++) {
    const result = search(problem, firstResult)
    if (!result && problemWithoutPool) {
      problem = problemWithoutPool
      problemWithoutPool = null
      continue
    }
    if (!result && problem.mayReusePools && !singleUseRoute) {
      // Shares of one pool for several pairs may leave an amount that the pairs alone can take.
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
      const singleUse = attemptWithHalf(problem, () =>
        searchUntilSettled({ ...problem, mayReusePools: false }, amountIn, admission, taxes),
      )
      return betterOf(betterOf(route, singleUse), singleUseRoute)
    }
    if (outcome.reusesPool && problem.mayReusePools) {
      const openProblem = withSingleUse(problem, result)
      const route =
        openProblem && attemptWithHalf(problem, () => searchUntilSettled(openProblem, amountIn, admission, taxes))
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

/**
 * Limits an edge to slightly less than the amount at which its pool's arithmetic fails. Null if the pool fails below
 * it too, or refused for another reason.
 */
function limitedBelowRefused(
  problem: Problem,
  { edge, amountIn, code, reusesPool }: LegRefused,
  taxes?: Taxes,
): Problem | null {
  if (code !== 'UNSUPPORTED' || reusesPool) return null
  const step = amountIn / REFUSED_STEP_DIVISOR + 1n
  for (let steps = 1n; steps <= MAX_REFUSED_STEPS; steps *= 2n) {
    const smallerInput = amountIn - steps * step
    if (smallerInput > 0n && outputOfPool(problem.graph.edges[edge]!, smallerInput, taxes) > 0n)
      return withInputLimit(problem, edge, smallerInput)
  }
  return null
}

const withInputLimit = (problem: Problem, edge: number, amountIn: bigint): Problem =>
  withCurves(problem, new Map([[edge, upToInput(curveOf(problem, edge), Number(amountIn))]]))

/** Removes the cause of a refused leg from the problem. */
function withoutRefused(problem: Problem, refused: LegRefused, admission: Admission): Problem {
  const { edge, pool, limit, isForSize } = refused
  // A pool may be asked for more than it has only because the search counted its liquidity twice.
  if (refused.reusesPool && problem.mayReusePools) return { ...problem, mayReusePools: false }
  admission.recordRejection(pool, refused.message)
  if (!isForSize) return withoutEdges(problem, problem.graph.topology.edgesOfPool.get(pool.id) ?? [])
  if (limit === null || limit === 0n) return withoutEdges(problem, [edge])
  return withInputLimit(problem, edge, limit)
}

/**
 * Keeps, of each pool that a flow uses several times, only the edge that trades the most value. Null if there are none.
 */
function withSingleUse(problem: Problem, { flow, backward }: SearchResult): Problem | null {
  const { edges, topology } = problem.graph
  const valueAt = (index: number) => flow.input[index]! * backward.best[topology.from[flow.edges[index]!]!]!
  const mainIndexByPool = new Map<string, number>()
  const reusedPools = new Set<string>()
  for (const [place, edge] of flow.edges.entries()) {
    const { id } = edges[edge]!.pool
    const mainIndex = mainIndexByPool.get(id)
    if (mainIndex !== undefined) reusedPools.add(id)
    if (mainIndex === undefined || valueAt(place) > valueAt(mainIndex)) mainIndexByPool.set(id, place)
  }
  const closedEdges = [...reusedPools].flatMap((id) =>
    topology.edgesOfPool.get(id)!.filter((edge) => edge !== flow.edges[mainIndexByPool.get(id)!]),
  )
  return closedEdges.length > 0 ? withoutEdges(problem, closedEdges) : null
}

/** Runs a computation of an optional improvement with half of the remaining budget; null if that does not suffice. */
export function attemptWithHalf<T>({ budget }: Problem, run: () => T): T | null {
  return budget.attempt(1 / 2, run, () => null)
}

/**
 * Returns true for a single path that is far below the bound, by more than the cost of one more leg (about that of its
 * cheapest). The limits may have reduced an allocation to this path.
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

/** Settles the alternatives of a route; those that a pool refuses are dropped. */
export function settleAlternatives(
  problem: Problem,
  { alternatives, ...result }: SettledRoute,
  amountIn: bigint,
  taxes?: Taxes,
): readonly SettledRoute[] {
  return alternatives.flatMap((flow) => {
    const outcome = attemptWithHalf(problem, () =>
      trySettle({ ...result, flow, alternatives: [] }, problem, amountIn, taxes),
    )
    return outcome === null || outcome instanceof LegRefused ? [] : [outcome]
  })
}

/**
 * Settles the flow of a search, or else the better one of its fallback and of a flow that leaves room in its full pools. Returns the
 * refusal if none settles.
 */
function settleFlow(
  result: SearchResult,
  problem: Problem,
  amountIn: bigint,
  taxes?: Taxes,
): SettledRoute | LegRefused | null {
  const { flow, fallback } = result
  const outcome = withoutSmallLegs(result, problem, amountIn, taxes)
  if (!(fallback && outcome instanceof LegRefused)) return outcome
  const fallbackOutcome = withoutSmallLegs({ ...result, flow: fallback }, problem, amountIn, taxes)
  const fallbackNet =
    fallbackOutcome === null || fallbackOutcome instanceof LegRefused ? 0 : netOf(problem, fallbackOutcome)
  if (fallbackNet > flow.net * (1 - MAX_FALLBACK_LOSS)) return fallbackOutcome
  const roomierProblem = withRoom(problem, flow)
  const roomierResult = roomierProblem && attemptWithHalf(problem, () => search(roomierProblem, result))
  const roomierRoute =
    roomierResult && withoutSmallLegs({ ...result, flow: roomierResult.flow }, problem, amountIn, taxes)
  return roomierRoute && !(roomierRoute instanceof LegRefused) && netOf(problem, roomierRoute) > fallbackNet
    ? roomierRoute
    : fallbackOutcome
}

/** Cuts the pools that a flow fills, so that the units by which settlement differs from a flow fit into them. Null if none is full. */
function withRoom(problem: Problem, { edges, input }: Flow): Problem | null {
  const limitedCurves = new Map<number, CompiledCurve>()
  for (const [k, edge] of edges.entries()) {
    const curve = curveOf(problem, edge)
    const maxInput = capacityOf(curve) * (1 - ROOM_IN_FULL_POOLS)
    if (input[k]! > maxInput) limitedCurves.set(edge, upToInput(curve, maxInput))
  }
  return limitedCurves.size > 0 ? withCurves(problem, limitedCurves) : null
}

/** Settles a flow. Legs too small for their pools are dropped if other legs can take their share. */
function withoutSmallLegs(
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
    if (!remainingFlow || remainingFlow.unsold > 0 || remainingFlow.edges.length >= flow.edges.length) return outcome
    droppedEdges.push(outcome.edge)
    flow = remainingFlow
  }
}

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

/** Rank of a route: discounted output less the cost of its legs, in output base units. */
export function netOf(problem: Problem, { flow, settlement }: SettledRoute): number {
  const cost = flow.edges.reduce((sum, edge, k) => sum + legCost(problem, edge, flow.input[k]!), 0)
  return discountedOutput(problem, settlement) - cost
}
