/**
 * Starts in narrower problems: fewer hops, and paths joined to a few pools. Where pools disagree, or a leg's gas weighs much, the
 * allocation of the whole problem ends in a place that depends on what it began with, and may pay less than one that was asked for
 * less. The best of such starts are then filled up with all that the whole problem allows.
 */
import type { Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import { NARROW_GAIN, NARROW_HOPS, NARROW_POOLS, NARROW_STARTS } from '../tolerances.ts'
import { extend, joinPaths } from './few-pools.ts'
import { fits } from './promise.ts'

type Around = {
  /** Edges that some allocation used or could have used; allocations of narrower problems add theirs. */
  readonly known: ReadonlySet<number>
  /** Values of tokens in the output token. */
  readonly values: Float64Array
  /** The best route of a narrower problem by the usual search; null where none is found. */
  readonly allocate: (narrow: Problem) => Flow | null
  /** Units of work after which no other start is tried. */
  readonly work: number
}

/** The best route found from narrower starts; the one given where none is better. */
export function fromNarrower(problem: Problem, given: Flow, { known, values, allocate, work }: Around): Flow {
  const { budget, maxHops, maxPools } = problem
  const enough = budget.rest - work
  const starts = [given]
  const take = (flow: Flow | null) => {
    if (flow && fits(problem, flow) && !starts.some((other) => isSame(other, flow))) starts.push(flow)
  }
  for (let hops = Math.min(maxHops - 1, NARROW_HOPS); hops > 0 && budget.rest > enough; hops--)
    take(allocate({ ...problem, maxHops: hops }))
  const edges = new Set([...known, ...starts.flatMap((flow) => flow.edges)])
  for (const pools of NARROW_POOLS)
    if (pools < maxPools && budget.rest > enough) take(joinPaths({ ...problem, maxPools: pools }, edges, values))
  let best = given
  for (const start of starts.toSorted((a, b) => b.net - a.net).slice(0, NARROW_STARTS)) {
    const flow = budget.rest > enough ? extend(problem, start, edges, values) : start
    const least = best === given ? given.net * (1 + NARROW_GAIN) : best.net
    if (flow.net > least && fits(problem, flow)) best = flow
  }
  return best
}

function isSame({ edges, net }: Flow, other: Flow): boolean {
  return net === other.net && edges.length === other.edges.length
}
