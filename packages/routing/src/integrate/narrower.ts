/**
 * Starts from restricted problems: fewer hops and paths joined to a few pools, or, where pools disagree, paths through other pools and a
 * smaller amount. Where pools disagree, or a leg's gas weighs much, the allocation of the whole problem depends on what it began with,
 * and may pay less than one that was asked for less. The starts are then filled up with what the whole problem allows.
 */
import { type Problem, without } from '../problem/problem.ts'
import { type Flow, pushThrough } from '../solver/flow.ts'
import {
  DOUBTED_EDGES,
  NARROW_GAIN,
  NARROW_HOPS,
  NARROW_POOLS,
  NARROW_STARTS,
  NARROW_WORK,
  PART_OF_TRADE,
  POOLS_LEFT_OUT,
} from '../tolerances.ts'
import { extend, joinPaths, withDetours } from './few-pools.ts'
import { fits } from './promise.ts'
import { pathsElsewhere } from './rivals.ts'

type Restarts = {
  /** Edges that some allocation used or could have used; allocations of restricted problems add theirs. */
  readonly known: ReadonlySet<number>
  /** Values of tokens in the output token. */
  readonly values: Float64Array
  /** The best route of a restricted problem by the usual search; null when none is found. */
  readonly allocate: (restricted: Problem) => Flow | null
  /** True when pools seem to disagree on a price. */
  readonly disagrees: boolean
  /** Units of work after which no other start is tried. */
  readonly work: number
}

/** The best route found from restricted starts; the one given when none is better. */
export function fromNarrower(problem: Problem, given: Flow, restarts: Restarts): Flow {
  const { budget } = problem
  const { rest } = budget
  const isLeft = (work: number) => () => budget.rest > rest - work
  let best = given
  const take = (flow: Flow) => {
    const least = best === given ? given.net * (1 + NARROW_GAIN) : best.net
    if (flow.net > least && fits(problem, flow)) best = flow
  }
  if (restarts.disagrees) otherBeginnings(problem, given, restarts, isLeft(restarts.work)).forEach(take)
  // Other beginnings find more for the same work; both are cheap on small graphs.
  const work = restarts.disagrees ? NARROW_WORK : restarts.work
  filledUp(problem, given, restarts, isLeft(work)).forEach(take)
  return best
}

/** Routes of fewer hops and pools, filled up with all that the whole problem allows. */
function filledUp(problem: Problem, given: Flow, restarts: Restarts, isLeft: () => boolean): readonly Flow[] {
  const { starts, edges } = restrictedRoutes(problem, given, restarts, isLeft)
  return starts.map((start) => (isLeft() ? extend(problem, start, edges, restarts.values) : start))
}

/**
 * Routes that begin elsewhere, with detours: paths through other pools, the route of a part of the trade, whose best path may be too
 * narrow for the whole, and the routes without one pool of the given route. Where pools disagree, what an allocation ends with depends on the path that it begins with.
 */
function otherBeginnings(
  problem: Problem,
  given: Flow,
  { allocate, values }: Restarts,
  isLeft: () => boolean,
): readonly Flow[] {
  const grown = pathsElsewhere(problem, given).map((path) => (isLeft() ? withDetours(problem, path, values) : path))
  const smaller = isLeft() ? allocate({ ...problem, amountIn: problem.amountIn * PART_OF_TRADE }) : null
  const start = smaller && pushThrough(problem, smaller.edges, smaller.input)
  if (start) grown.push(withDetours(problem, start, values))
  // A pool that ends soon may have drawn the others of its path in.
  if (problem.rate.length > DOUBTED_EDGES) return grown
  const used = new Set(given.edges.map((edge) => problem.graph.edges[edge]!.pool.id))
  for (const id of [...used].slice(0, POOLS_LEFT_OUT)) {
    const flow = isLeft() && allocate(without(problem, problem.graph.topology.edgesOfPool.get(id)!))
    if (flow) grown.push(withDetours(problem, flow, values))
  }
  return grown
}

type Starts = { readonly starts: readonly Flow[]; readonly edges: ReadonlySet<number> }

/** The best routes of fewer hops and pools, with the one given, and the edges that are known from them. */
function restrictedRoutes(
  problem: Problem,
  given: Flow,
  { known, values, allocate }: Restarts,
  isLeft: () => boolean,
): Starts {
  const { maxHops, maxPools } = problem
  const starts = [given]
  const take = (flow: Flow | null) => {
    if (flow && fits(problem, flow) && !starts.some((other) => isSame(other, flow))) starts.push(flow)
  }
  for (let hops = Math.min(maxHops - 1, NARROW_HOPS); hops > 0 && isLeft(); hops--)
    take(allocate({ ...problem, maxHops: hops }))
  const edges = new Set([...known, ...starts.flatMap((flow) => flow.edges)])
  for (const pools of NARROW_POOLS)
    if (pools < maxPools && isLeft()) take(joinPaths({ ...problem, maxPools: pools }, edges, values))
  return { starts: starts.toSorted((a, b) => b.net - a.net).slice(0, NARROW_STARTS), edges }
}

function isSame({ edges, net }: Flow, other: Flow): boolean {
  return net === other.net && edges.length === other.edges.length
}
