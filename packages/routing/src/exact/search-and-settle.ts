/**
 * Search and settlement in turn, until they agree: pools may refuse what the search wants, or be met twice in a route.
 */

import { bestSinglePath } from '../columns/single-path.ts'
import { upToInput } from '../graph/price-curve.ts'
import { rankedRivals } from '../integrate/rivals.ts'
import { QUOTE_WORK } from '../problem/budget.ts'
import { potential } from '../problem/potentials.ts'
import { type Admission, costOf, curveOf, type Problem, withMoreGas, without } from '../problem/problem.ts'
import { type Found, search } from '../search.ts'
import { alongPath, pushThrough } from '../solver/flow.ts'
import type { Taxes } from '../taxes.ts'
import {
  COARSE_SEARCHES,
  EXACT_QUOTES,
  FEW_UNITS,
  GAS_SURPRISE,
  REFUSALS,
  REFUSED_PARTS,
  SUSPECT,
  UNIT_ROUNDING,
} from '../tolerances.ts'
import { believedOutput } from './haircuts.ts'
import { LegRefused, outputOfPool, type Settlement, settle } from './settle.ts'

export type FoundRoute = Found & { readonly settlement: Settlement }

/** Searches, settles, and searches again without what does worse in whole units than in the search's floats. */
export function searchAndSettle(
  problem: Problem,
  amountIn: bigint,
  admission: Admission,
  taxes?: Taxes,
): FoundRoute | null {
  const first = untilSettled(problem, amountIn, admission, taxes)
  if (!first) return null
  const found = withSettledGas(problem, first, (dearer) => untilSettled(dearer, amountIn, admission, taxes))
  if (!isCoarse(problem, found)) return found
  const others = [
    unlessSpent(problem, () => withoutCoarseEdges(problem, found, amountIn, taxes)),
    unlessSpent(problem, () => inWholeUnits(problem, amountIn, taxes)),
  ]
  return others.reduce<FoundRoute>(
    (best, other) => (other && netOf(problem, other) > netOf(problem, best) ? withBounds(other, found) : best),
    found,
  )
}

/**
 * The same once more where legs turn out to cost so much more gas than price curves tell (ticks that they cross in a pool's own
 * arithmetic) that another route may leave more.
 */
function withSettledGas(
  problem: Problem,
  found: FoundRoute,
  again: (dearer: Problem) => FoundRoute | null,
): FoundRoute {
  if (problem.perGas === 0) return found
  const surprises = surprisesOf(problem, found)
  const sum = [...surprises.values()].reduce((total, gas) => total + gas, 0)
  if (!(sum * problem.perGas > GAS_SURPRISE * believedOutput(problem, found.settlement))) return found
  const dearer = withMoreGas(problem, (edge) => surprises.get(edge) ?? 0)
  const other = unlessSpent(problem, () => again(dearer))
  const left = (route: FoundRoute) => {
    const more = [...surprisesOf(problem, route).values()].reduce((total, gas) => total + gas, 0)
    return netOf(problem, route) - more * problem.perGas
  }
  // Rivals are ranked by what the settlement showed.
  return other ? oneOf(dearer, found, other, left(other) > left(found)) : found
}

/** One of two routes, with the other among its rivals and the first one's bounds. */
export function oneOf(problem: Problem, found: FoundRoute, other: FoundRoute, isOther: boolean): FoundRoute {
  const [best, rest] = isOther ? [withBounds(other, found), found] : [found, other]
  return { ...best, rivals: rankedRivals(problem, best.flow, [rest.flow, ...best.rivals, ...rest.rivals]) }
}

/** A route of a problem that allows for less, with the bounds of the whole one. */
const withBounds = (route: FoundRoute, { bound, beyondCurves, netBound, backward }: Found): FoundRoute => ({
  ...route,
  bound,
  beyondCurves,
  netBound,
  backward,
})

/** Gas of legs as settled beyond what they were ranked with, less where negative, by edge. */
function surprisesOf(problem: Problem, { flow, settlement }: FoundRoute): ReadonlyMap<number, number> {
  const { learned, perGas, perLeg } = problem
  const charged = new Map<number, number>()
  for (const [k, edge] of settlement.edges.entries())
    charged.set(edge, (charged.get(edge) ?? 0) + settlement.legs[k]!.gas + (learned.get(edge) ?? 0))
  const surprises = new Map<number, number>()
  for (const [edge, gas] of charged) {
    const ranked = (costOf(problem, edge, flow.input[flow.edges.indexOf(edge)]!) - perLeg) / perGas
    if (Math.abs(gas - ranked) > 1) surprises.set(edge, gas - ranked)
  }
  return surprises
}

/** True where some leg buys few units, of which rounding takes a part worth saving. */
function isCoarse(problem: Problem, { settlement, bound }: FoundRoute): boolean {
  const { legs } = settlement
  if (bound !== null && believedOutput(problem, settlement) > bound * (1 - UNIT_ROUNDING)) return false
  return legs.some((leg) => leg.amountOut < FEW_UNITS)
}

/** The best route that buys no few units on its way; the search may come upon other such edges without the first. */
function withoutCoarseEdges(problem: Problem, found: FoundRoute, amountIn: bigint, taxes?: Taxes): FoundRoute | null {
  const { to } = problem.graph.topology
  let best: FoundRoute | null = null
  let coarse = found
  let open = problem
  for (let round = 0; round < COARSE_SEARCHES; round++) {
    const { legs, edges } = coarse.settlement
    const few = edges.filter((edge, k) => legs[k]!.amountOut < FEW_UNITS && to[edge] !== problem.target)
    if (few.length === 0) break
    open = without(open, few)
    const next = search(open)
    const settled = next && settledFlow(next, open, amountIn, taxes)
    if (settled === null || settled instanceof LegRefused) break
    if (!best || netOf(problem, settled) > netOf(problem, best)) best = settled
    coarse = settled
  }
  return best
}

/** The best path by what the pools themselves pay, whole units only. */
function inWholeUnits(problem: Problem, amountIn: bigint, taxes?: Taxes): FoundRoute | null {
  const { graph, target } = problem
  const backward = potential(problem, target, 'to')
  const path = bestSinglePath(problem, backward, {
    of: (edge, amount) => Number(outputOfPool(graph.edges[edge]!, BigInt(Math.round(amount)), taxes)),
    quotes: EXACT_QUOTES,
    work: QUOTE_WORK,
  })
  const flow = path && alongPath(problem, path)
  const settled =
    flow &&
    settledAs(
      { flow, bound: null, beyondCurves: 0, netBound: undefined, backward, rivals: [] },
      problem,
      amountIn,
      taxes,
    )
  return settled instanceof LegRefused ? null : settled
}

/**
 * Searches and settles until a route settles. A pool that refuses the size of its leg is searched again up to what it takes; one
 * that refuses for another reason is left out. Bounds are those of the first search, over all pools that the request admits.
 */
function untilSettled(whole: Problem, amountIn: bigint, admission: Admission, taxes?: Taxes): FoundRoute | null {
  let problem = whole
  let first: Found | null = null
  /** Edges that were refused an amount for which their pool's arithmetic fails. */
  const avoided = new Set<number>()
  /** The present problem without the pool that refused last, if that pool is only limited in the present problem. */
  let withoutPool: Problem | null = null
  for (let refusals = 0; refusals <= REFUSALS; refusals++) {
    const found = search(problem, first)
    if (!found && withoutPool) {
      problem = withoutPool
      withoutPool = null
      continue
    }
    if (!found) return null
    first ??= found
    const settled = settledFlow(found, problem, amountIn, taxes)
    if (settled === null) return null
    if (!(settled instanceof LegRefused)) {
      const route = withBounds(settled, first)
      if (!problem.reuse || (!settled.settlement.sharing && !isSuspect(problem, route))) return route
      const once = { ...problem, reuse: false }
      const single = unlessSpent(problem, () => untilSettled(once, amountIn, admission, taxes))
      return single && netOf(problem, single) > netOf(problem, route) ? withBounds(single, first) : route
    }
    const limited = avoided.has(settled.edge) ? null : belowRefused(problem, settled, taxes)
    const without = withoutRefused(problem, settled, admission)
    avoided.add(settled.edge)
    problem = limited ?? without
    withoutPool = limited && without
  }
  return null
}

/**
 * The problem in which an edge takes a little less than an amount that its pool's arithmetic fails at; null if the pool fails there too, or
 * if the refusal has another reason.
 */
function belowRefused(problem: Problem, { edge, amountIn, code, reusing }: LegRefused, taxes?: Taxes): Problem | null {
  if (code !== 'UNSUPPORTED' || reusing) return null
  const less = amountIn - amountIn / REFUSED_PARTS - 1n
  if (!(less > 0n && outputOfPool(problem.graph.edges[edge]!, less, taxes) > 0n)) return null
  return limitedTo(problem, edge, less)
}

const limitedTo = (problem: Problem, edge: number, amountIn: bigint): Problem => ({
  ...problem,
  taxed: new Map(problem.taxed).set(edge, upToInput(curveOf(problem, edge), Number(amountIn))),
})

/** The problem without what a leg was refused for. */
function withoutRefused(problem: Problem, refused: LegRefused, admission: Admission): Problem {
  const { edge, pool, limit, isForSize } = refused
  // A pool may be asked for more than it has only because the search counted another one's liquidity twice.
  if (refused.reusing && problem.reuse) return { ...problem, reuse: false }
  admission.note(pool, refused.message)
  if (!isForSize) return without(problem, problem.graph.topology.edgesOfPool.get(pool.id) ?? [])
  if (limit === null || limit === 0n) return without(problem, [edge])
  return limitedTo(problem, edge, limit)
}

/** An answer that may be better than the one there is; null where the budget does not allow for it. */
export function unlessSpent<T>({ budget }: Problem, run: () => T): T | null {
  return budget.attempt(1 / 2, run, () => null)
}

/**
 * True of a single path far below the bound, and by more than one leg more would cost, about as much as its cheapest: of an
 * allocation that the limits on a route would not let stand, no more is left.
 */
function isSuspect(problem: Problem, { flow: { edges, input, hops }, bound, settlement }: FoundRoute): boolean {
  if (edges.length > hops) return false
  if (bound === null) return true
  const leg = Math.min(...edges.map((edge, k) => costOf(problem, edge, input[k]!)))
  return bound - believedOutput(problem, settlement) > Math.max(SUSPECT * bound, leg)
}

/** The rivals of a route as they settle; those that a pool refuses are left out. */
export function settledRivals(
  problem: Problem,
  { rivals, ...found }: FoundRoute,
  amountIn: bigint,
  taxes?: Taxes,
): readonly FoundRoute[] {
  return rivals.flatMap((flow) => {
    const settled = unlessSpent(problem, () => settledAs({ ...found, flow, rivals: [] }, problem, amountIn, taxes))
    return settled === null || settled instanceof LegRefused ? [] : [settled]
  })
}

/** The first of a search's flows that settles; the refusal of a leg when none does. */
function settledFlow(found: Found, problem: Problem, amountIn: bigint, taxes?: Taxes): FoundRoute | LegRefused | null {
  const settled = withoutSmallLegs(found, problem, amountIn, taxes)
  if (!(found.instead && settled instanceof LegRefused)) return settled
  return withoutSmallLegs({ ...found, flow: found.instead }, problem, amountIn, taxes)
}

/** Settles a flow, without legs that are too small for their pools if others are left. */
function withoutSmallLegs(
  found: Found,
  problem: Problem,
  amountIn: bigint,
  taxes?: Taxes,
): FoundRoute | LegRefused | null {
  let { flow } = found
  // Each round leaves out one leg, or is the last.
  for (;;) {
    const settled = settledAs({ ...found, flow }, problem, amountIn, taxes)
    if (!(settled instanceof LegRefused && settled.code === 'TOO_SMALL')) return settled
    const kept = flow.edges.map((edge) => edge !== settled.edge)
    const rest = pushThrough(
      problem,
      flow.edges.filter((_, k) => kept[k]),
      flow.input.filter((_, k) => kept[k]),
    )
    if (!rest || rest.unsold > 0 || rest.edges.length >= flow.edges.length) return settled
    flow = rest
  }
}

function settledAs(found: Found, problem: Problem, amountIn: bigint, taxes?: Taxes): FoundRoute | LegRefused | null {
  try {
    const settlement = settle(problem, found.flow, amountIn, taxes)
    return settlement.amountOut > 0n ? { ...found, settlement } : null
  } catch (error) {
    if (error instanceof LegRefused) return error
    throw error
  }
}

/** Rank of a route: its output, less haircuts and the gas of its legs, in output base units. */
export function netOf(problem: Problem, { flow, settlement }: FoundRoute): number {
  const cost = flow.edges.reduce((sum, edge, k) => sum + costOf(problem, edge, flow.input[k]!), 0)
  return believedOutput(problem, settlement) - cost
}
