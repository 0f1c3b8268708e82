/**
 * Upper bound on the net output of any route. Fixed costs make this a mixed-integer problem, and its Lagrangian
 * relaxation gives a bound at any token prices. The bound is the input at its price, plus the earnings of each pool
 * above its cost, less the unearned costs on a shortest path from the source to the target, since every route contains
 * a path. If the bound is not tight, routes with and without some pool are bounded separately, and the weaker of the
 * two bounds holds (branch and bound).
 */

import { WorkBudget } from '../problem/budget.ts'
import type { SpotRates } from '../problem/potentials.ts'
import { legBaseCost, minLegCost, type Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import { FLOAT_ERROR } from '../tolerances.ts'
import { Relaxation, type RelaxedBound } from './relaxation.ts'
import { shortestPath, type Way } from './shortest-way.ts'
import {
  FIRST_RELAXATION_WORK_SHARE,
  MAX_RELAXATIONS,
  MIN_NET_BOUND_WORK,
  NET_BOUND_MAX_WORK,
  NET_BOUND_WORK_PER_EDGE,
  TIGHT_NET_BOUND_GAP,
} from './tolerances.ts'

/** Routes that use some edges and avoid others. */
type Branch = {
  readonly requiredEdges: ReadonlySet<number>
  readonly excludedEdges: ReadonlySet<number>
  /** Edges that trade without an envelope in its last relaxation; null if it has no relaxation of its own. */
  readonly wholeEdges: ReadonlySet<number> | null
  readonly relaxed: RelaxedBound
  /** True if its relaxation was solved for this branch, not for its parent. */
  readonly hasOwnRelaxation: boolean
  readonly bound: number
  readonly shortestPath: Way
}

/**
 * Computes an upper bound on the net output of any route, in output base units as a float. Null if unknown: for
 * single-path requests, and if gas exceeds the output.
 *
 * @param bound - upper bound without gas, if known
 */
export function netBound(
  problem: Problem,
  { edges, net }: Pick<Flow, 'edges' | 'net'>,
  bound: number | null,
  backward: SpotRates,
): number | null {
  const { budget, isSinglePath, source, subgraph } = problem
  if (isSinglePath || !(net > 0)) return null
  // Every route has at least this many legs.
  const minHops = subgraph?.minHops ?? backward.hops[source]!
  const simpleBound = bound === null ? Number.POSITIVE_INFINITY : bound - minHops * minLegCost(problem)
  // On a subgraph, a route through other pools may have fewer legs than any relaxation sees.
  if (subgraph) return bound === null ? null : simpleBound
  if (net >= simpleBound * (1 - TIGHT_NET_BOUND_GAP)) return simpleBound
  // Limited by the size of the graph, not by earlier work, so that requests with and without alternatives get the same
  // bound.
  const units = NET_BOUND_WORK_PER_EDGE * problem.rate.length
  const separateBudget = new WorkBudget(
    Math.min(budget.remaining / 2, Math.max(MIN_NET_BOUND_WORK, Math.min(NET_BOUND_MAX_WORK, units))),
  )
  const { remaining } = separateBudget
  const relaxed = problem.graph.topology.scratch.within(() =>
    new Search({ ...problem, budget: separateBudget }, backward, { edges, net }).run(),
  )
  budget.spend(remaining - separateBudget.remaining)
  return relaxed && Math.min(relaxed * (1 + FLOAT_ERROR), simpleBound)
}

const NONE: ReadonlySet<number> = new Set()
/** Maximum rounds of the search. */
const MAX_ROUNDS = 200

class Search {
  private readonly problem: Problem
  private readonly backward: SpotRates
  private readonly relaxation: Relaxation
  private readonly net: number
  /** Bound that is tight enough. */
  private readonly enough: number
  private readonly routeEdges: ReadonlySet<number>
  private solved = 0

  constructor(
    problem: Problem,
    backward: SpotRates,
    { edges, net }: { readonly edges: readonly number[]; readonly net: number },
  ) {
    this.problem = problem
    this.backward = backward
    this.net = net
    this.enough = net * (1 + TIGHT_NET_BOUND_GAP)
    this.routeEdges = new Set(edges)
    this.relaxation = new Relaxation(problem, backward)
  }

  run(): number | null {
    const { budget } = this.problem
    const begin = () => {
      const relax = () => this.relaxation.solve(this.routeEdges, NONE, null, this.enough)
      const first = budget.within(FIRST_RELAXATION_WORK_SHARE, relax)
      return first && this.branch(NONE, NONE, first, this.routeEdges)
    }
    const root = budget.attempt(1, begin, () => null)
    return root && this.tighten(root)
  }

  private tighten(root: Branch): number {
    const { budget } = this.problem
    const open = [root]
    let closed = this.net
    // Each round solves a relaxation, or fixes another edge.
    for (let turn = 0; turn < MAX_ROUNDS; turn++) {
      const worst = open.reduce((a, b) => (b.bound > a.bound ? b : a), open[0]!)
      if (!worst || worst.bound <= Math.max(this.enough, closed)) break
      const improve = () => (worst.wholeEdges && this.divide(worst)) ?? this.solveAgain(worst)
      const next = budget.attempt(1, improve, () => null)
      if (budget.remaining === 0) break
      // A branch that cannot be divided further keeps its bound.
      if (!next) closed = Math.max(closed, worst.bound)
      open.splice(open.indexOf(worst), 1, ...(next ?? []))
    }
    return open.reduce((max, { bound }) => Math.max(max, bound), closed)
  }

  /** Bounds a branch at the prices of a relaxation; null if the branch contains no route. */
  private branch(
    inside: ReadonlySet<number>,
    outside: ReadonlySet<number>,
    relaxed: RelaxedBound,
    whole: ReadonlySet<number> | null,
  ): Branch | null {
    const { problem } = this
    const { base, earners, earnerByEdge } = relaxed.boundAtPrices
    let bound = base
    for (const { edges, earned, cost } of earners) {
      if (edges.length === 1 && outside.has(edges[0]!)) continue
      const costInside = edges.reduce((sum, edge) => (inside.has(edge) ? sum + legBaseCost(problem, edge) : sum), 0)
      bound += costInside > 0 ? earned - Math.max(costInside, cost) : Math.max(0, earned - cost)
    }
    for (const edge of inside) if (!earnerByEdge.has(edge)) bound -= legBaseCost(problem, edge)
    const way = shortestPath(problem, this.backward, (edge) => {
      if (outside.has(edge)) return Number.POSITIVE_INFINITY
      if (inside.has(edge)) return 0
      const earner = earnerByEdge.get(edge)
      return earner ? Math.max(0, earner.cost - earner.earned) : legBaseCost(problem, edge)
    })
    return (
      way && {
        requiredEdges: inside,
        excludedEdges: outside,
        relaxed,
        wholeEdges: whole,
        hasOwnRelaxation: false,
        bound: bound - way.length,
        shortestPath: way,
      }
    )
  }

  /** Bounds the branch at prices of its own; null if it has them already or they are not better. */
  private solveAgain(branch: Branch): readonly Branch[] | null {
    if (branch.hasOwnRelaxation || this.solved++ >= MAX_RELAXATIONS) return null
    const whole = new Set([...branch.requiredEdges, ...branch.shortestPath.edges])
    const relaxed = this.relaxation.solve(whole, branch.excludedEdges, branch.relaxed.boundAtPrices, this.enough)
    if (!relaxed) return null
    const ownBranch = this.branch(branch.requiredEdges, branch.excludedEdges, relaxed, whole)!
    return [{ ...ownBranch, hasOwnRelaxation: true, bound: Math.min(ownBranch.bound, branch.bound) }]
  }

  /**
   * Divides the branch into routes with and without the edge at which the relaxation is furthest from any route; null
   * if no edge is left.
   */
  private divide(branch: Branch): readonly Branch[] | null {
    const { requiredEdges, excludedEdges, relaxed, wholeEdges } = branch
    const edge = this.doubtful(branch)
    if (edge === null) return null
    // If the edge traded without an envelope, the prices also suit the routes that use it.
    const includingEdge = this.branch(
      new Set([...requiredEdges, edge]),
      excludedEdges,
      relaxed,
      wholeEdges?.has(edge) ? wholeEdges : null,
    )
    const excludingEdge = this.branch(requiredEdges, new Set([...excludedEdges, edge]), relaxed, null)
    return [includingEdge, excludingEdge].flatMap((child) =>
      child ? [{ ...child, bound: Math.min(child.bound, branch.bound) }] : [],
    )
  }

  private doubtful({ requiredEdges, relaxed, wholeEdges, shortestPath }: Branch): number | null {
    const { earnerByEdge } = relaxed.boundAtPrices
    const along = new Set(shortestPath.edges)
    let chosen: number | null = null
    let max = 0
    const take = (edge: number, doubt: number) => {
      if (requiredEdges.has(edge) || !(doubt > max)) return
      max = doubt
      chosen = edge
    }
    const shortOf = (edge: number): number => {
      const earner = earnerByEdge.get(edge)
      return earner ? Math.max(0, earner.cost - earner.earned) : legBaseCost(this.problem, edge)
    }
    for (const edge of wholeEdges!) if (!along.has(edge)) take(edge, shortOf(edge))
    for (const edge of along) if (!wholeEdges!.has(edge)) take(edge, shortOf(edge))
    for (const { edge, costFraction } of relaxed.fractions)
      take(edge, Math.min(costFraction, 1 - costFraction) * legBaseCost(this.problem, edge))
    return chosen
  }
}
