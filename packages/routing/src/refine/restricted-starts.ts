/**
 * Finds better routes from other starts. A start is the route of a restricted problem, which allows fewer hops or fewer
 * pools. If pools disagree on prices, problems with other paths or a smaller amount are also used. The start is then
 * extended within the limits of the whole problem. Other starts help in two cases: if pools disagree on prices, or if
 * the gas of a leg is a large part of the trade. The result of an allocation (the optimization by token prices) then
 * depends on its start. A route is a flow: edges (pools in one direction) with their inputs. Called by `search.ts`.
 */
import { type Problem, withoutEdges } from '../problem/problem.ts'
import { type Flow, pushThrough } from '../solver/flow.ts'
import {
  MAX_LEFT_OUT_WORK,
  MAX_POOLS_LEFT_OUT,
  MAX_RESTRICTED_HOPS,
  MAX_RESTRICTED_STARTS,
  PARTIAL_TRADE_SHARE,
  RESTRICTED_MIN_GAIN,
  RESTRICTED_POOLS,
  RESTRICTED_WORK,
} from '../tolerances.ts'
import { disjointPaths } from './alternatives.ts'
import { extendByPaths, joinPaths, withDetours } from './join-paths.ts'
import { isWithinLimits } from './stopping-rules.ts'

type RestartOptions = {
  /** Edges that some allocation included. `allocate` adds the edges of its allocations. */
  readonly knownEdges: ReadonlySet<number>
  /** Values of tokens in the output token. */
  readonly values: Float64Array
  /** Finds the best route of a restricted problem by the usual search; null if there is none. */
  readonly allocate: (restrictedProblem: Problem) => Flow | null
  /** True if pools may disagree on a price by more than their fees. */
  readonly poolsDisagree: boolean
  /** True if routes that exclude one pool of the initial flow are also tried. */
  readonly mayLeaveOutPools: boolean
  /** Work limit for trying starts, in units. */
  readonly maxWork: number
}

/** Returns the best flow of all starts; `initialFlow` if none is better. */
export function bestFromRestricted(problem: Problem, initialFlow: Flow, options: RestartOptions): Flow {
  const { budget } = problem
  const { remaining: initialWork } = budget
  const workCheckFor = (maxWork: number) => () => budget.remaining > initialWork - maxWork
  let best = initialFlow
  const takeIfBetter = (flow: Flow) => {
    const threshold = best === initialFlow ? initialFlow.net * (1 + RESTRICTED_MIN_GAIN) : best.net
    if (flow.net > threshold && isWithinLimits(problem, flow)) best = flow
  }
  if (options.poolsDisagree) {
    const hasWork = workCheckFor(options.maxWork)
    routesFromOtherStarts(problem, initialFlow, options, hasWork).forEach(takeIfBetter)
    if (options.mayLeaveOutPools) routesWithoutPools(problem, initialFlow, options, hasWork).forEach(takeIfBetter)
  }
  // If pools disagree, the starts above gain more for the same work, so extensions get only `RESTRICTED_WORK`.
  const extensionWork = options.poolsDisagree ? RESTRICTED_WORK : options.maxWork
  extendStarts(problem, initialFlow, options, workCheckFor(extensionWork)).forEach(takeIfBetter)
  const minRemainingWork = budget.remaining - MAX_LEFT_OUT_WORK
  if (options.mayLeaveOutPools && !options.poolsDisagree)
    routesWithoutPools(problem, best, options, () => budget.remaining > minRemainingWork).forEach(takeIfBetter)
  return best
}

/** Routes of fewer hops and pools, extended by paths and detours within the limits of the whole problem. */
function extendStarts(
  problem: Problem,
  initialFlow: Flow,
  options: RestartOptions,
  hasWork: () => boolean,
): readonly Flow[] {
  const { starts, edges } = restrictedRoutes(problem, initialFlow, options, hasWork)
  return starts.map((start) => (hasWork() ? extendByPaths(problem, start, edges, options.values) : start))
}

/**
 * Routes from two kinds of starts, extended by detours. One kind is a path that avoids the pools of the initial flow.
 * The other is the route of a fraction of the trade.
 */
function routesFromOtherStarts(
  problem: Problem,
  initialFlow: Flow,
  { allocate, values }: RestartOptions,
  hasWork: () => boolean,
): readonly Flow[] {
  const routes = disjointPaths(problem, initialFlow).map((path) =>
    hasWork() ? withDetours(problem, path, values) : path,
  )
  const partialFlow = hasWork() ? allocate({ ...problem, amountIn: problem.amountIn * PARTIAL_TRADE_SHARE }) : null
  const scaledFlow = partialFlow && pushThrough(problem, partialFlow.edges, partialFlow.input)
  if (scaledFlow) routes.push(withDetours(problem, scaledFlow, values))
  return routes
}

/**
 * Routes that each exclude one pool of the given route, extended by detours. A pool with little capacity or much gas
 * may be the only reason why the route uses the other pools of the same path.
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

/** Starts, and all edges of their allocations. */
type Starts = { readonly starts: readonly Flow[]; readonly edges: ReadonlySet<number> }

/** The best `MAX_RESTRICTED_STARTS` of these flows: the initial flow, and the routes with fewer hops or fewer pools. */
function restrictedRoutes(
  problem: Problem,
  initialFlow: Flow,
  { knownEdges, values, allocate }: RestartOptions,
  hasWork: () => boolean,
): Starts {
  const { maxHops, maxPools } = problem
  const starts = [initialFlow]
  const addStart = (flow: Flow | null) => {
    if (flow && isWithinLimits(problem, flow) && !starts.some((earlierStart) => isSameFlow(earlierStart, flow)))
      starts.push(flow)
  }
  for (let hops = Math.min(maxHops - 1, MAX_RESTRICTED_HOPS); hops > 0 && hasWork(); hops--)
    addStart(allocate({ ...problem, maxHops: hops }))
  const edges = new Set([...knownEdges, ...starts.flatMap((flow) => flow.edges)])
  for (const pools of RESTRICTED_POOLS)
    if (pools < maxPools && hasWork()) addStart(joinPaths({ ...problem, maxPools: pools }, edges, values))
  return { starts: starts.toSorted((a, b) => b.net - a.net).slice(0, MAX_RESTRICTED_STARTS), edges }
}

function isSameFlow({ edges, net }: Flow, other: Flow): boolean {
  return net === other.net && edges.length === other.edges.length
}
