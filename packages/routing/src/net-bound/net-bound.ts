/**
 * An upper bound of what any route leaves after the cost of its legs. With fixed costs the problem is a mixed-integer one; at any
 * token prices its Lagrangian relaxation bounds it: the input at its price, plus what each pool would earn above its cost there,
 * less the costs that pools along some way from the source to the target do not earn, since every route has such a way. Where that is
 * not tight, routes are told apart by a pool that they use or do not use, and the worse of both bounds holds (branch and bound).
 */

import { WorkBudget } from '../problem/budget.ts'
import type { Potential } from '../problem/potentials.ts'
import { leastCost, leastLegCost, type Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import { FLOAT_ERROR } from '../tolerances.ts'
import { Relaxation, type Relaxed } from './relaxation.ts'
import { shortestWay, type Way } from './shortest-way.ts'
import {
  FIRST_RELAXATION_PART,
  NET_BOUND_DEAR,
  NET_BOUND_DEAR_PART,
  NET_BOUND_MOST,
  NET_BOUND_NODES,
  NET_BOUND_TIGHT,
  NET_BOUND_WORK,
  NET_BOUND_WORK_OF_EDGE,
} from './tolerances.ts'

/** Routes that use certain pools and do not use others. */
type Branch = {
  readonly inside: ReadonlySet<number>
  readonly outside: ReadonlySet<number>
  /** Edges that its last relaxation let trade as they are; null before it has one of its own. */
  readonly whole: ReadonlySet<number> | null
  readonly relaxed: Relaxed
  /** True where its relaxation was sought for it, rather than for the branch that it is of. */
  readonly isOwn: boolean
  readonly bound: number
  readonly way: Way
}

/**
 * Output base units, as a float, no less than a route leaves; null where none is known: of one path only, and of a route that gas
 * takes all of.
 *
 * @param bound - without gas, where it is known
 */
export function netBound(
  problem: Problem,
  { edges, net, amountOut }: Pick<Flow, 'edges' | 'net' | 'amountOut'>,
  bound: number | null,
  backward: Potential,
): number | null {
  const { budget, onePath, source, excerpt } = problem
  if (onePath || !(net > 0)) return null
  // Every route has as many legs at least.
  const fewest = excerpt?.fewestHops ?? backward.hops[source]!
  const simple = bound === null ? Number.POSITIVE_INFINITY : bound - fewest * leastLegCost(problem)
  // A route by pools that are not looked at may have fewer legs than any relaxation of those that are.
  if (excerpt) return bound === null ? null : simple
  if (net >= simple * (1 - NET_BOUND_TIGHT)) return simple
  // By the size of the graph, not by what was spent: a search that tells rivals comes to the same bound.
  const units = NET_BOUND_WORK_OF_EDGE * problem.rate.length
  const own = new WorkBudget(Math.min(budget.rest / 2, Math.max(NET_BOUND_WORK, Math.min(NET_BOUND_MOST, units))))
  const part = amountOut - net > NET_BOUND_DEAR * amountOut ? NET_BOUND_DEAR_PART : 1
  const { rest } = own
  const relaxed = problem.graph.topology.scratch.within(() =>
    new Search({ ...problem, budget: own }, backward, { edges, net }).run(part),
  )
  budget.spend(rest - own.rest)
  return relaxed && Math.min(relaxed * (1 + FLOAT_ERROR), simple)
}

const NONE: ReadonlySet<number> = new Set()
/** Turns of the search, and rounds of ways that turn out to be shorter. */
const MOST_TURNS = 200
const WAY_ROUNDS = 1

class Search {
  private readonly problem: Problem
  private readonly backward: Potential
  private readonly relaxation: Relaxation
  private readonly net: number
  /** A bound that is tight enough. */
  private readonly enough: number
  private readonly given: ReadonlySet<number>
  private solved = 0

  constructor(
    problem: Problem,
    backward: Potential,
    { edges, net }: { readonly edges: readonly number[]; readonly net: number },
  ) {
    this.problem = problem
    this.backward = backward
    this.net = net
    this.enough = net * (1 + NET_BOUND_TIGHT)
    this.given = new Set(edges)
    this.relaxation = new Relaxation(problem, backward)
  }

  /** @param part - of the work that is left after the first relaxation */
  run(part: number): number | null {
    const { budget } = this.problem
    const begin = () => {
      const relax = () => this.relaxation.solve(this.given, NONE, null, this.enough)
      const first = budget.within(FIRST_RELAXATION_PART, relax)
      return first && this.branch(NONE, NONE, first, this.given)
    }
    const root = budget.attempt(1, begin, () => null)
    return root && budget.within(part, () => this.tightened(root))
  }

  private tightened(root: Branch): number {
    const { budget } = this.problem
    const open = [root]
    let closed = this.net
    // Each turn solves a relaxation, or fixes one more pool of a finite number.
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const worst = open.reduce((a, b) => (b.bound > a.bound ? b : a), open[0]!)
      if (!worst || worst.bound <= Math.max(this.enough, closed)) break
      const improve = () => (worst.whole && this.divided(worst)) ?? this.solvedAnew(worst)
      const next = budget.attempt(1, improve, () => null)
      if (budget.rest === 0) break
      // What can be told apart no further stays as it is.
      if (!next) closed = Math.max(closed, worst.bound)
      open.splice(open.indexOf(worst), 1, ...(next ?? []))
    }
    return open.reduce((most, { bound }) => Math.max(most, bound), closed)
  }

  /** The bound of a branch at prices that were found for it or another; null where it has no route at all. */
  private branch(
    inside: ReadonlySet<number>,
    outside: ReadonlySet<number>,
    relaxed: Relaxed,
    whole: ReadonlySet<number> | null,
  ): Branch | null {
    const { problem } = this
    const { base, earners, earnerOf } = relaxed.priced
    let bound = base
    for (const { edges, earned, cost } of earners) {
      if (edges.length === 1 && outside.has(edges[0]!)) continue
      const paid = edges.reduce((sum, edge) => (inside.has(edge) ? sum + leastCost(problem, edge) : sum), 0)
      bound += paid > 0 ? earned - Math.max(paid, cost) : Math.max(0, earned - cost)
    }
    for (const edge of inside) if (!earnerOf.has(edge)) bound -= leastCost(problem, edge)
    const way = shortestWay(problem, this.backward, (edge) => {
      if (outside.has(edge)) return Number.POSITIVE_INFINITY
      if (inside.has(edge)) return 0
      const earner = earnerOf.get(edge)
      return earner ? Math.max(0, earner.cost - earner.earned) : leastCost(problem, edge)
    })
    return way && { inside, outside, relaxed, whole, isOwn: false, bound: bound - way.length, way }
  }

  /** The branch at prices of its own, if those are better; null where they are its own already. */
  private solvedAnew(branch: Branch): readonly Branch[] | null {
    if (branch.isOwn) return null
    let best = branch
    let { way } = branch
    for (let round = 0; round < WAY_ROUNDS; round++) {
      const whole = new Set([...branch.inside, ...way.edges])
      if (this.solved++ >= NET_BOUND_NODES) return best.isOwn ? [best] : null
      const relaxed = this.relaxation.solve(whole, branch.outside, best.relaxed.priced, this.enough)
      if (!relaxed) break
      const own = this.branch(branch.inside, branch.outside, relaxed, whole)!
      if (round === 0 || own.bound < best.bound) best = { ...own, isOwn: true, bound: Math.min(own.bound, best.bound) }
      if (best.bound <= this.net || own.way.edges.every((edge) => whole.has(edge))) break
      way = own.way
    }
    return best.isOwn ? [best] : null
  }

  /** The branch in two: with and without the pool on which the relaxation is furthest from any route; null where none is left. */
  private divided(branch: Branch): readonly Branch[] | null {
    const { inside, outside, relaxed, whole } = branch
    const edge = this.doubtful(branch)
    if (edge === null) return null
    // Where the edge traded as it is the prices are good for the routes that use it, too.
    const withIt = this.branch(new Set([...inside, edge]), outside, relaxed, whole?.has(edge) ? whole : null)
    const without = this.branch(inside, new Set([...outside, edge]), relaxed, null)
    return [withIt, without].flatMap((part) => (part ? [{ ...part, bound: Math.min(part.bound, branch.bound) }] : []))
  }

  private doubtful({ inside, relaxed, whole, way }: Branch): number | null {
    const { earnerOf } = relaxed.priced
    const along = new Set(way.edges)
    let chosen: number | null = null
    let most = 0
    const take = (edge: number, doubt: number) => {
      if (inside.has(edge) || !(doubt > most)) return
      most = doubt
      chosen = edge
    }
    const shortOf = (edge: number): number => {
      const earner = earnerOf.get(edge)
      return earner ? Math.max(0, earner.cost - earner.earned) : leastCost(this.problem, edge)
    }
    for (const edge of whole!) if (!along.has(edge)) take(edge, shortOf(edge))
    for (const edge of along) if (!whole!.has(edge)) take(edge, shortOf(edge))
    for (const { edge, part } of relaxed.fractions) take(edge, Math.min(part, 1 - part) * leastCost(this.problem, edge))
    return chosen
  }
}
