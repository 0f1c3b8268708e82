/** Takes out of an allocation what does not earn its gas. */

import type { Problem } from '../problem/problem.ts'
import type { Allocation, Checkpoint } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import { type Flow, flowOf } from '../solver/flow.ts'
import {
  FEW_STEPS,
  MANY_USED,
  NEGLIGIBLE,
  PRUNE_BATCH,
  PRUNE_ROUNDS,
  SOLID,
  TIGHT,
  UNPROFITABLE,
  UNRESOLVED,
  UNSOLVED,
} from '../tolerances.ts'
import { edgeProfits, idleEdges, standsAlone, stranded, type Ways, waysOf } from './edge-profits.ts'
import { withinLimits } from './limits.ts'
import { costAtBest, holdAtTicks } from './ticks.ts'

const NONE: ReadonlySet<number> = new Set()

/**
 * Pruning edge by edge: what an edge earns at the present prices is at most what its removal loses. Those that earn less
 * than they cost are taken out, the largest saving first, with all that their removal strands, and the rest is solved again.
 *
 * @param idle - whether edges without flow may take over what others leave
 */
export function prune(problem: Problem, allocation: Allocation, idle: 'drop' | 'keep'): Flow | null {
  if (idle === 'drop') {
    allocation.removeEdges(idleEdges(allocation))
    allocation.evaluate()
  }
  const kept = new Set<number>()
  let batch = PRUNE_BATCH
  let best = netOf(problem, allocation)
  for (let round = 0; round < PRUNE_ROUNDS; round++) {
    const removals = savings(problem, allocation, kept)
    const [first] = removals
    if (!first) break
    const unprofitable = removals.filter(({ saving, earned }) => earned < UNPROFITABLE * (saving + earned))
    const together = unprofitable.slice(0, Math.floor(unprofitable.length * batch))
    const before = allocation.checkpoint()
    const idle = idleEdges(allocation)
    allocation.removeEdges(new Set((together.length > 1 ? together : [first]).flatMap(({ edges }) => edges)))
    solve(allocation, TIGHT, FEW_STEPS)
    let net = netOf(problem, allocation)
    if (net <= best && sendBack(problem, allocation, idle)) net = netOf(problem, allocation)
    if (net > best) {
      best = net
      continue
    }
    allocation.restore(before)
    allocation.evaluate()
    if (together.length > 1) batch /= 4
    else kept.add(first.cause)
  }
  return settledFlow(problem, allocation)
}

/** True of the same edges, in any order, where they are so many that taking out what does not pay twice would take long. */
export function isLongAgain(edges: readonly number[], earlier: readonly number[]): boolean {
  const known = new Set(earlier)
  return edges.length > MANY_USED && edges.length === known.size && edges.every((edge) => known.has(edge))
}

function settledFlow(problem: Problem, allocation: Allocation): Flow | null {
  const flow = flowOf(problem, allocation)
  const allowed = flow && withinLimits(problem, allocation, flow)
  return allowed && holdAtTicks(problem, allocation, allowed)
}

/**
 * The same for a few edges, which are worth more work: each time what improves most goes, of all that may. Edges without flow
 * may take over from a single one, so that ways are mended which without it would lead nowhere.
 */
export function pruneByTrial(problem: Problem, allocation: Allocation): Flow | null {
  let best = netOf(problem, allocation)
  // Each round takes edges out, or is the last.
  for (;;) {
    const before = allocation.checkpoint()
    let chosen: Checkpoint | null = null
    for (const { edges } of removals(problem, allocation)) {
      allocation.removeEdges(new Set(edges))
      solve(allocation, TIGHT, FEW_STEPS)
      const net = netOf(problem, allocation)
      if (net > best) {
        best = net
        chosen = allocation.checkpoint()
      }
      allocation.restore(before)
    }
    allocation.restore(chosen ?? before)
    allocation.evaluate()
    if (!chosen) return settledFlow(problem, allocation)
  }
}

/** With what only edges in use hold together, and with what those without flow would hold as well. */
function removals(problem: Problem, allocation: Allocation): readonly Removal[] {
  const all = savings(problem, allocation, NONE)
  const mended = savings(problem, allocation, NONE, allocation.edges)
  const known = new Map(all.map(({ cause, edges }) => [cause, edges.length]))
  return [...all, ...mended.filter(({ cause, edges }) => known.get(cause) !== edges.length)]
}

/**
 * Value of an allocation after the costs of its legs; −∞ when it was not solved (it has no way to the target, say) or when its
 * edges cannot take the whole trade.
 */
function netOf(problem: Problem, allocation: Allocation): number {
  if (!(allocation.residual < UNSOLVED)) return Number.NEGATIVE_INFINITY
  // What is left over may be worth next to nothing, and must be sold all the same.
  if (allocation.unsold > UNRESOLVED && flowOf(problem, allocation)?.unsold !== 0) return Number.NEGATIVE_INFINITY
  const { from, to } = problem.graph.topology
  let net = allocation.value
  for (let k = 0; k < allocation.edges.length; k++) {
    const edge = allocation.edges[k]!
    const [input, output] = [allocation.input[k]!, allocation.output[k]!]
    const ends = { sold: allocation.price(from[edge]!), bought: allocation.price(to[edge]!) }
    // Edges that are idle but for rounding are not going to be legs.
    if (input * ends.sold > NEGLIGIBLE * allocation.value) net -= costAtBest(problem, edge, { input, output }, ends)
  }
  return net
}

/** Takes out edges that a removal woke and that do not earn their cost; false where there are none. */
function sendBack(problem: Problem, allocation: Allocation, idle: ReadonlySet<number>): boolean {
  const woken = [...edgeProfits(problem, allocation)].filter(
    ([edge, { profit, cost }]) => idle.has(edge) && profit < cost,
  )
  if (woken.length === 0) return false
  allocation.removeEdges(new Set(woken.map(([edge]) => edge)))
  solve(allocation, TIGHT, FEW_STEPS)
  return true
}

type Removal = {
  readonly edges: readonly number[]
  readonly cause: number
  readonly saving: number
  readonly earned: number
}

/** Removals that promise to save more than they lose, the best first. */
function savings(
  problem: Problem,
  allocation: Allocation,
  kept: ReadonlySet<number>,
  standing?: readonly number[],
): readonly Removal[] {
  const profits = edgeProfits(problem, allocation)
  let ways: Ways | undefined
  const removals: Removal[] = []
  for (const [edge, { profit, cost }] of profits) {
    if (kept.has(edge) || profit > cost * SOLID) continue
    ways ??= waysOf(problem, standing ?? [...profits.keys()])
    if (profit >= cost && standsAlone(problem, ways, edge)) continue
    const edges = stranded(problem, ways, edge)
    if (!edges) continue
    let saving = 0
    let earned = 0
    for (const other of edges) {
      const entry = profits.get(other)
      if (!entry) continue
      saving += entry.cost - entry.profit
      earned += entry.profit
    }
    if (saving > 0) removals.push({ edges, cause: edge, saving, earned })
  }
  return removals.sort((a, b) => b.saving - a.saving)
}
