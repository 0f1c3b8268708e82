/**
 * Searches restricted problems as further starts: fewer hops and few joined paths; or, if pools disagree on prices,
 * other paths and a smaller amount. If pools disagree, or the gas of a leg weighs much, the allocation depends on its
 * start. A restricted request may then find a better route than the whole problem. The starts are then extended by
 * everything that the whole problem allows.
 */
import { type Problem, withoutEdges } from '../problem/problem.ts'
import { type Flow, pushThrough } from '../solver/flow.ts'
import {
  LEFT_OUT_WORK,
  MAX_POOLS_LEFT_OUT,
  PARTIAL_TRADE_SHARE,
  RESTRICTED_HOPS,
  RESTRICTED_MIN_GAIN,
  RESTRICTED_POOLS,
  RESTRICTED_STARTS,
  RESTRICTED_WORK,
} from '../tolerances.ts'
import { disjointPaths } from './alternatives.ts'
import { extendByPaths, joinPaths, withDetours } from './join-paths.ts'
import { fits } from './stopping-rules.ts'

type RestartOptions = {
  /** Edges that some allocation included; restricted allocations add theirs. */
  readonly knownEdges: ReadonlySet<number>
  /** Values of tokens in the output token. */
  readonly values: Float64Array
  /** Finds the best route of a restricted problem by the usual search; null if there is none. */
  readonly allocate: (restricted: Problem) => Flow | null
  /** True if pools seem to disagree on a price. */
  readonly poolsDisagree: boolean
  /** True to also try routes that exclude one pool of the given route. */
  readonly mayLeaveOutPools: boolean
  /** Work units after which no further start is tried. */
  readonly maxWork: number
}

/** The best route of all restricted starts, or the given route if none is better. */
export function bestFromRestricted(problem: Problem, initial: Flow, restarts: RestartOptions): Flow {
  const { budget } = problem
  const { remaining: initialWork } = budget
  const hasWorkOf = (work: number) => () => budget.remaining > initialWork - work
  let best = initial
  const takeIfBetter = (flow: Flow) => {
    const threshold = best === initial ? initial.net * (1 + RESTRICTED_MIN_GAIN) : best.net
    if (flow.net > threshold && fits(problem, flow)) best = flow
  }
  if (restarts.poolsDisagree) {
    const hasWork = hasWorkOf(restarts.maxWork)
    routesFromOtherStarts(problem, initial, restarts, hasWork).forEach(takeIfBetter)
    if (restarts.mayLeaveOutPools) routesWithoutPools(problem, initial, restarts, hasWork).forEach(takeIfBetter)
  }
  // If pools disagree, other starts find more for the same work, so extensions get less.
  const extensionWork = restarts.poolsDisagree ? RESTRICTED_WORK : restarts.maxWork
  extendStarts(problem, initial, restarts, hasWorkOf(extensionWork)).forEach(takeIfBetter)
  const minRemainingWork = budget.remaining - LEFT_OUT_WORK
  if (restarts.mayLeaveOutPools && !restarts.poolsDisagree)
    routesWithoutPools(problem, best, restarts, () => budget.remaining > minRemainingWork).forEach(takeIfBetter)
  return best
}

/** Routes of fewer hops and pools, extended by everything that the whole problem allows. */
function extendStarts(
  problem: Problem,
  initial: Flow,
  restarts: RestartOptions,
  hasWork: () => boolean,
): readonly Flow[] {
  const { starts, edges } = restrictedRoutes(problem, initial, restarts, hasWork)
  return starts.map((start) => (hasWork() ? extendByPaths(problem, start, edges, restarts.values) : start))
}

/**
 * Routes from other starts, with detours. The starts are paths through other pools, and the route for a part of the
 * trade. If pools disagree on prices, an allocation depends on its first path.
 */
function routesFromOtherStarts(
  problem: Problem,
  initial: Flow,
  { allocate, values }: RestartOptions,
  hasWork: () => boolean,
): readonly Flow[] {
  const routes = disjointPaths(problem, initial).map((path) => (hasWork() ? withDetours(problem, path, values) : path))
  const partialFlow = hasWork() ? allocate({ ...problem, amountIn: problem.amountIn * PARTIAL_TRADE_SHARE }) : null
  const scaledFlow = partialFlow && pushThrough(problem, partialFlow.edges, partialFlow.input)
  if (scaledFlow) routes.push(withDetours(problem, scaledFlow, values))
  return routes
}

/**
 * Routes that exclude one pool of a route. A pool with little capacity or much gas may be the only reason why the route
 * uses the other pools of its path.
 */
function routesWithoutPools(
  problem: Problem,
  route: Flow,
  { allocate, values }: RestartOptions,
  hasWork: () => boolean,
): readonly Flow[] {
  const { edges, topology } = problem.graph
  const usedPools = new Set(route.edges.map((edge) => edges[edge]!.pool.id))
  return [...usedPools].slice(0, MAX_POOLS_LEFT_OUT).flatMap((id) => {
    const flow = hasWork() && allocate(withoutEdges(problem, topology.edgesOfPool.get(id)!))
    return flow ? [withDetours(problem, flow, values)] : []
  })
}

type Starts = { readonly starts: readonly Flow[]; readonly edges: ReadonlySet<number> }

/** The given route and the best routes of fewer hops and pools, with all edges of these allocations. */
function restrictedRoutes(
  problem: Problem,
  initial: Flow,
  { knownEdges, values, allocate }: RestartOptions,
  hasWork: () => boolean,
): Starts {
  const { maxHops, maxPools } = problem
  const starts = [initial]
  const addStart = (flow: Flow | null) => {
    if (flow && fits(problem, flow) && !starts.some((other) => isSameFlow(other, flow))) starts.push(flow)
  }
  for (let hops = Math.min(maxHops - 1, RESTRICTED_HOPS); hops > 0 && hasWork(); hops--)
    addStart(allocate({ ...problem, maxHops: hops }))
  const edges = new Set([...knownEdges, ...starts.flatMap((flow) => flow.edges)])
  for (const pools of RESTRICTED_POOLS)
    if (pools < maxPools && hasWork()) addStart(joinPaths({ ...problem, maxPools: pools }, edges, values))
  return { starts: starts.toSorted((a, b) => b.net - a.net).slice(0, RESTRICTED_STARTS), edges }
}

function isSameFlow({ edges, net }: Flow, other: Flow): boolean {
  return net === other.net && edges.length === other.edges.length
}
