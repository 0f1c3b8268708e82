/** Alternates search and settlement until they agree: a pool may refuse the searched amount, or occur twice in a route. */

import { bestSinglePath } from '../columns/single-path.ts'
import { type CompiledCurve, capacityOf, outputOf, upToInput } from '../graph/price-curve.ts'
import { rankAlternatives } from '../integrate/alternatives.ts'
import { QUOTE_WORK } from '../problem/budget.ts'
import { potential } from '../problem/potentials.ts'
import { type Admission, costOf, curveOf, extraGasOf, type Problem, withMoreGas, without } from '../problem/problem.ts'
import { type SearchResult, search } from '../search.ts'
import { alongPath, type Flow, pushThrough } from '../solver/flow.ts'
import { usesPoolTwice } from '../solver/shared-pools.ts'
import type { Taxes } from '../taxes.ts'
import {
  BELOW_CURVE,
  COARSE_SEARCHES,
  FEW_UNITS,
  MAX_EXACT_QUOTES,
  MAX_FAILED_AMOUNTS,
  MAX_FALLBACK_LOSS,
  MAX_REFUSED_PARTS,
  PART_TO_TICK,
  REFUSALS,
  REFUSED_PARTS,
  ROOM_IN_FULL_POOLS,
  SUSPICIOUS_GAP,
  UNEXPECTED_GAS_SHARE,
  UNIT_ROUNDING,
} from '../tolerances.ts'
import type { Leg } from '../types.ts'
import { discountedOutput } from './drift-penalties.ts'
import { LegRefused, legOf, outputOfPool, type Settlement, settle } from './settle.ts'

/** A search result with its settlement. */
export type SettledRoute = SearchResult & {
  readonly settlement: Settlement
  /** Edges of the search's flow that the route lacks, because their legs were too small for their pools. */
  readonly dropped?: readonly number[]
}

/** Searches and settles; searches again without edges that perform worse in whole units than in floats. Null if nothing routes. */
export function searchAndSettle(
  problem: Problem,
  amountIn: bigint,
  admission: Admission,
  taxes?: Taxes,
): SettledRoute | null {
  const first = searchUntilSettled(problem, amountIn, admission, taxes)
  if (!first) return null
  const repeat = (changedProblem: Problem) => searchUntilSettled(changedProblem, amountIn, admission, taxes)
  const result = withSettledGas(problem, first, repeat, taxes)
  if (!isCoarse(problem, result)) return result
  const others = [
    ifWorkAllows(problem, () => withoutCoarseEdges(problem, result, amountIn, taxes)),
    ifWorkAllows(problem, () => inWholeUnits(problem, amountIn, taxes)),
  ]
  return others.reduce<SettledRoute>(
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
  repeat: (changed: Problem) => SettledRoute | null,
  taxes?: Taxes,
): SettledRoute {
  if (problem.perGas === 0) return result
  const unexpectedGas = unexpectedGasOf(problem, result)
  const sum = [...unexpectedGas.values()].reduce((total, gas) => total + gas, 0)
  if (!(sum * problem.perGas > UNEXPECTED_GAS_SHARE * discountedOutput(problem, result.settlement))) return result
  const costlier = withMoreGas(problem, (edge) => unexpectedGas.get(edge) ?? 0)
  const smaller = ifWorkAllows(problem, () => withSmallerLegs(problem, result, taxes))
  const netAfterGas = (route: SettledRoute) => {
    const unexpectedGas = [...unexpectedGasOf(problem, route).values()].reduce((total, gas) => total + gas, 0)
    return netOf(problem, route) - unexpectedGas * problem.perGas
  }
  return [costlier, smaller].reduce((best, changedProblem) => {
    const other = changedProblem && ifWorkAllows(problem, () => repeat(changedProblem))
    // Alternatives are ranked with the gas of the settlement.
    return other ? oneOf(costlier, best, other, netAfterGas(other) > netAfterGas(best)) : best
  }, result)
}

/** Limits edges to slightly less than their legs, if that costs less gas: settlement rounds legs past ticks. Null if none does. */
function withSmallerLegs(problem: Problem, { settlement }: SettledRoute, taxes?: Taxes): Problem | null {
  const limited = new Map<number, CompiledCurve>()
  for (const [k, edge] of settlement.edges.entries()) {
    const { amountIn, gas } = settlement.legs[k]!
    const input = amountIn - amountIn / PART_TO_TICK - 1n
    problem.budget.spend(QUOTE_WORK)
    const smaller = legOf(problem.graph.edges[edge]!, input, taxes)
    if (smaller && smaller.gas < gas) limited.set(edge, upToInput(curveOf(problem, edge), Number(input)))
  }
  return limited.size > 0 ? withCurves(problem, limited) : null
}

const withCurves = (problem: Problem, curves: ReadonlyMap<number, CompiledCurve>): Problem => ({
  ...problem,
  adjustedCurves: new Map([...problem.adjustedCurves, ...curves]),
})

/** Returns one of two routes with the bounds of the first, and the other one among its alternatives. */
export function oneOf(problem: Problem, result: SettledRoute, other: SettledRoute, isOther: boolean): SettledRoute {
  const [best, rest] = isOther ? [withBounds(other, result), result] : [result, other]
  return {
    ...best,
    alternatives: rankAlternatives(problem, best.flow, [rest.flow, ...best.alternatives, ...rest.alternatives]),
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
  const { perGas, perLeg } = problem
  const gasByEdge = new Map<number, number>()
  for (const [k, edge] of settlement.edges.entries())
    gasByEdge.set(edge, (gasByEdge.get(edge) ?? 0) + settlement.legs[k]!.gas + extraGasOf(problem, edge))
  const unexpectedGas = new Map<number, number>()
  for (const [edge, gas] of gasByEdge) {
    const estimated = (costOf(problem, edge, flow.input[flow.edges.indexOf(edge)]!) - perLeg) / perGas
    if (Math.abs(gas - estimated) > 1) unexpectedGas.set(edge, gas - estimated)
  }
  return unexpectedGas
}

/** Returns true if a leg buys so few units, or was too small, that rounding takes a significant part. */
function isCoarse(problem: Problem, { settlement, bound, dropped }: SettledRoute): boolean {
  const { legs } = settlement
  if (bound !== null && discountedOutput(problem, settlement) > bound * (1 - UNIT_ROUNDING)) return false
  return (
    dropped !== undefined ||
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
  let open = problem
  let closedEdges = coarseEdges(problem, result)
  for (let round = 1; round <= COARSE_SEARCHES && closedEdges.length > 0; round++) {
    for (const edge of closedEdges) coarseTokens.add(to[edge]!)
    coarseTokens.delete(problem.target)
    // Further edges buy few units of the same tokens, so the last round closes all of them.
    const isLast = round === COARSE_SEARCHES
    open = without(open, isLast ? Array.from(to.keys()).filter((edge) => coarseTokens.has(to[edge]!)) : closedEdges)
    const next = search(open)
    const outcome = next && settleFlow(next, open, amountIn, taxes)
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
function coarseEdges(problem: Problem, { dropped, settlement }: SettledRoute): readonly number[] {
  const { legs, edges } = settlement
  const { to } = problem.graph.topology
  // Legs next to the one that was too small may be large without it.
  if (dropped) return dropped
  const few = edges.filter((edge, k) => legs[k]!.amountOut < FEW_UNITS && to[edge] !== problem.target)
  return [...few, ...edgesBelowCurve(problem, settlement)]
}

/**
 * Edges whose legs pay less than their curves, since the pool's rounding takes a fixed amount; none if a pool is used twice, because
 * its curves hold for the state before the route.
 */
function edgesBelowCurve(problem: Problem, { legs, edges }: Settlement): readonly number[] {
  if (usesPoolTwice(problem.graph, edges)) return []
  const isBelow = (edge: number, { amountIn, amountOut }: Leg) =>
    Number(amountOut) < outputOf(curveOf(problem, edge), Number(amountIn)) * (1 - BELOW_CURVE)
  return edges.filter((edge, k) => isBelow(edge, legs[k]!))
}

/** Returns the best path by exact pool quotes in whole units; null if no path pays a unit. */
export function inWholeUnits(problem: Problem, amountIn: bigint, taxes?: Taxes): SettledRoute | null {
  const { graph, target } = problem
  const backward = potential(problem, target, 'to')
  const path = bestSinglePath(problem, backward, {
    of: (edge, amount) => Number(outputOfPool(graph.edges[edge]!, BigInt(Math.round(amount)), taxes)),
    quotes: MAX_EXACT_QUOTES,
    work: QUOTE_WORK,
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
  whole: Problem,
  amountIn: bigint,
  admission: Admission,
  taxes?: Taxes,
): SettledRoute | null {
  let problem = whole
  let first: SearchResult | null = null
  /** By edge: number of amounts at which the pool's arithmetic failed. */
  const failures = new Map<number, number>()
  /** The current problem without the pool that refused last, if the current problem only limits that pool. */
  let withoutPool: Problem | null = null
  /** Route without the second use of a pool that refused it. */
  let singleUse: SettledRoute | null = null
  const best = (route: SettledRoute, other: SettledRoute | null) =>
    first && other && netOf(problem, other) > netOf(problem, route) ? withBounds(other, first) : route
  for (let refusals = 0; refusals <= REFUSALS; refusals++) {
    const result = search(problem, first)
    if (!result && withoutPool) {
      problem = withoutPool
      withoutPool = null
      continue
    }
    if (!result && problem.reuse && !singleUse) {
      // Shares of one pool for several pairs may leave an amount that the pairs alone can take.
      problem = { ...problem, reuse: false }
      continue
    }
    if (!result) return singleUse
    first ??= result
    const outcome = settleFlow(result, problem, amountIn, taxes)
    admission.hasSmallLegs ||= outcome === null || (outcome instanceof LegRefused && outcome.code === 'TOO_SMALL')
    if (outcome === null) return singleUse
    if (!(outcome instanceof LegRefused)) {
      const route = withBounds(outcome, first)
      if (!problem.reuse || (!outcome.settlement.sharing && !isSuspect(problem, route))) return best(route, singleUse)
      const single = ifWorkAllows(problem, () =>
        searchUntilSettled({ ...problem, reuse: false }, amountIn, admission, taxes),
      )
      return best(best(route, single), singleUse)
    }
    if (outcome.reusing && problem.reuse) {
      const open = withSingleUse(problem, result)
      const route = open && ifWorkAllows(problem, () => searchUntilSettled(open, amountIn, admission, taxes))
      singleUse = route && withBounds(route, first)
    }
    const failed = (failures.get(outcome.edge) ?? 0) + 1
    failures.set(outcome.edge, failed)
    const limitedProblem = failed > MAX_FAILED_AMOUNTS ? null : belowRefused(problem, outcome, taxes)
    const without = withoutRefused(problem, outcome, admission)
    problem = limitedProblem ?? without
    withoutPool = limitedProblem && without
  }
  return singleUse
}

/**
 * Limits an edge to slightly less than the amount at which its pool's arithmetic fails. Null if the pool fails below
 * it too, or refused for another reason.
 */
function belowRefused(problem: Problem, { edge, amountIn, code, reusing }: LegRefused, taxes?: Taxes): Problem | null {
  if (code !== 'UNSUPPORTED' || reusing) return null
  const part = amountIn / REFUSED_PARTS + 1n
  for (let parts = 1n; parts <= MAX_REFUSED_PARTS; parts *= 2n) {
    const less = amountIn - parts * part
    if (less > 0n && outputOfPool(problem.graph.edges[edge]!, less, taxes) > 0n) return limitedTo(problem, edge, less)
  }
  return null
}

const limitedTo = (problem: Problem, edge: number, amountIn: bigint): Problem =>
  withCurves(problem, new Map([[edge, upToInput(curveOf(problem, edge), Number(amountIn))]]))

/** Removes the cause of a refused leg from the problem. */
function withoutRefused(problem: Problem, refused: LegRefused, admission: Admission): Problem {
  const { edge, pool, limit, isForSize } = refused
  // A pool may be asked for more than it has only because the search counted its liquidity twice.
  if (refused.reusing && problem.reuse) return { ...problem, reuse: false }
  admission.note(pool, refused.message)
  if (!isForSize) return without(problem, problem.graph.topology.edgesOfPool.get(pool.id) ?? [])
  if (limit === null || limit === 0n) return without(problem, [edge])
  return limitedTo(problem, edge, limit)
}

/**
 * Keeps, of each pool that a flow uses several times, only the edge that trades the most value. Null if there are none.
 */
function withSingleUse(problem: Problem, { flow, backward }: SearchResult): Problem | null {
  const { edges, topology } = problem.graph
  const value = (place: number) => flow.input[place]! * backward.best[topology.from[flow.edges[place]!]!]!
  const main = new Map<string, number>()
  const usedAgain = new Set<string>()
  for (const [place, edge] of flow.edges.entries()) {
    const { id } = edges[edge]!.pool
    const other = main.get(id)
    if (other !== undefined) usedAgain.add(id)
    if (other === undefined || value(place) > value(other)) main.set(id, place)
  }
  const closedEdges = [...usedAgain].flatMap((id) =>
    topology.edgesOfPool.get(id)!.filter((edge) => edge !== flow.edges[main.get(id)!]),
  )
  return closedEdges.length > 0 ? without(problem, closedEdges) : null
}

/** Runs a computation of an optional improvement with half of the remaining budget; null if that does not suffice. */
export function ifWorkAllows<T>({ budget }: Problem, run: () => T): T | null {
  return budget.attempt(1 / 2, run, () => null)
}

/**
 * Returns true for a single path that is far below the bound, by more than the cost of one more leg (about that of its
 * cheapest). The limits may have reduced an allocation to this path.
 */
function isSuspect(problem: Problem, { flow: { edges, input, hops }, bound, settlement }: SettledRoute): boolean {
  if (edges.length > hops) return false
  if (bound === null) return true
  const leg = Math.min(...edges.map((edge, k) => costOf(problem, edge, input[k]!)))
  return bound - discountedOutput(problem, settlement) > Math.max(SUSPICIOUS_GAP * bound, leg)
}

/** Settles the alternatives of a route; those that a pool refuses are dropped. */
export function settleAlternatives(
  problem: Problem,
  { alternatives, ...result }: SettledRoute,
  amountIn: bigint,
  taxes?: Taxes,
): readonly SettledRoute[] {
  return alternatives.flatMap((flow) => {
    const outcome = ifWorkAllows(problem, () =>
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
  const other = withoutSmallLegs({ ...result, flow: fallback }, problem, amountIn, taxes)
  const net = other === null || other instanceof LegRefused ? 0 : netOf(problem, other)
  if (net > flow.net * (1 - MAX_FALLBACK_LOSS)) return other
  const open = withRoom(problem, flow)
  const roomier = open && ifWorkAllows(problem, () => search(open, result))
  const settled = roomier && withoutSmallLegs({ ...result, flow: roomier.flow }, problem, amountIn, taxes)
  return settled && !(settled instanceof LegRefused) && netOf(problem, settled) > net ? settled : other
}

/** Cuts the pools that a flow fills, so that the units by which settlement differs from a flow fit into them. Null if none is full. */
function withRoom(problem: Problem, { edges, input }: Flow): Problem | null {
  const cut = new Map<number, CompiledCurve>()
  for (const [k, edge] of edges.entries()) {
    const curve = curveOf(problem, edge)
    const max = capacityOf(curve) * (1 - ROOM_IN_FULL_POOLS)
    if (input[k]! > max) cut.set(edge, upToInput(curve, max))
  }
  return cut.size > 0 ? withCurves(problem, cut) : null
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
      { ...result, flow, ...(droppedEdges.length > 0 && { dropped: droppedEdges }) },
      problem,
      amountIn,
      taxes,
    )
    if (!(outcome instanceof LegRefused && outcome.code === 'TOO_SMALL')) return outcome
    const isKept = flow.edges.map((edge) => edge !== outcome.edge)
    const rest = pushThrough(
      problem,
      flow.edges.filter((_, k) => isKept[k]),
      flow.input.filter((_, k) => isKept[k]),
    )
    if (!rest || rest.unsold > 0 || rest.edges.length >= flow.edges.length) return outcome
    droppedEdges.push(outcome.edge)
    flow = rest
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
  const cost = flow.edges.reduce((sum, edge, k) => sum + costOf(problem, edge, flow.input[k]!), 0)
  return discountedOutput(problem, settlement) - cost
}
