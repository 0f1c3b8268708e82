/** Removes edges that do not earn their gas from an allocation. */

import type { Problem } from '../problem/problem.ts'
import type { Allocation, Checkpoint } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import { type Flow, flowOf } from '../solver/flow.ts'
import {
  CLEARLY_PROFITABLE,
  FEW_STEPS,
  MANY_EDGES_IN_USE,
  MAX_RESIDUAL,
  NEGLIGIBLE,
  PRUNE_BATCH,
  PRUNE_ROUNDS,
  UNPROFITABLE,
  UNRESOLVED,
  UNSOLVED,
} from '../tolerances.ts'
import { dependentEdges, edgeProfits, idleEdges, isIndependent, type UsedEdges, usedEdges } from './edge-profits.ts'
import { withinLimits } from './limits.ts'
import { costAtBest, stopAtTicks } from './ticks.ts'

const NONE: ReadonlySet<number> = new Set()

/**
 * Prunes edge by edge. An edge's earnings at the current prices are a lower bound on the loss from its removal. Edges
 * that earn less than their cost are removed in order of savings, with all edges that depend on them. Then the rest is
 * solved again.
 *
 * @param idle - `keep`: idle edges may take over flow from removed ones
 */
export function prune(problem: Problem, allocation: Allocation, idle: 'drop' | 'keep'): Flow | null {
  if (idle === 'drop') {
    allocation.removeEdges(idleEdges(allocation))
    allocation.evaluate()
  }
  const retained = new Set<number>()
  let batch = PRUNE_BATCH
  let best = netOf(problem, allocation)
  for (let round = 0; round < PRUNE_ROUNDS; round++) {
    const removals = savings(problem, allocation, retained)
    const [first] = removals
    if (!first) break
    const unprofitable = removals.filter(({ saving, earned }) => earned < UNPROFITABLE * (saving + earned))
    const together = unprofitable.slice(0, Math.floor(unprofitable.length * batch))
    const before = allocation.checkpoint()
    const idle = idleEdges(allocation)
    allocation.removeEdges(new Set((together.length > 1 ? together : [first]).flatMap(({ edges }) => edges)))
    solve(allocation, MAX_RESIDUAL, FEW_STEPS)
    let net = netOf(problem, allocation)
    if (net <= best && sendBack(problem, allocation, idle)) net = netOf(problem, allocation)
    if (net > best) {
      best = net
      continue
    }
    allocation.restore(before)
    allocation.evaluate()
    if (together.length > 1) batch /= 4
    else retained.add(first.cause)
  }
  return finalFlow(problem, allocation)
}

/** Returns true for the same edges in any order, if they are so many that pruning them again would be expensive. */
export function isLongAgain(edges: readonly number[], earlier: readonly number[]): boolean {
  const sizes = new Set(earlier)
  return edges.length > MANY_EDGES_IN_USE && edges.length === sizes.size && edges.every((edge) => sizes.has(edge))
}

function finalFlow(problem: Problem, allocation: Allocation): Flow | null {
  const flow = flowOf(problem, allocation)
  const allowed = flow && withinLimits(problem, allocation, flow)
  return allowed && stopAtTicks(problem, allocation, allowed)
}

/**
 * Prunes few edges more thoroughly: each round makes the removal that improves the net output most. Edges without flow may
 * take over from a removed one, which repairs paths that would otherwise be dead ends.
 */
export function pruneByTrial(problem: Problem, allocation: Allocation): Flow | null {
  let best = netOf(problem, allocation)
  // Each round removes edges, or is the last.
  for (;;) {
    const before = allocation.checkpoint()
    let chosen: Checkpoint | null = null
    for (const { edges } of removals(problem, allocation)) {
      allocation.removeEdges(new Set(edges))
      solve(allocation, MAX_RESIDUAL, FEW_STEPS)
      const net = netOf(problem, allocation)
      if (net > best) {
        best = net
        chosen = allocation.checkpoint()
      }
      allocation.restore(before)
    }
    allocation.restore(chosen ?? before)
    allocation.evaluate()
    if (!chosen) return finalFlow(problem, allocation)
  }
}

/** Removals with the edges that depend on them, counting only edges in use, and counting idle edges too. */
function removals(problem: Problem, allocation: Allocation): readonly Removal[] {
  const all = savings(problem, allocation, NONE)
  const mended = savings(problem, allocation, NONE, allocation.edges)
  const sizes = new Map(all.map(({ cause, edges }) => [cause, edges.length]))
  return [...all, ...mended.filter(({ cause, edges }) => sizes.get(cause) !== edges.length)]
}

/**
 * Net value of an allocation; −∞ if it was not solved (for example, without a path to the target), or if its edges
 * cannot take the whole trade.
 */
function netOf(problem: Problem, allocation: Allocation): number {
  if (!(allocation.residual < UNSOLVED)) return Number.NEGATIVE_INFINITY
  // Unsold input must be zero even if it is worth almost nothing.
  if (allocation.unsold > UNRESOLVED && flowOf(problem, allocation)?.unsold !== 0) return Number.NEGATIVE_INFINITY
  const { from, to } = problem.graph.topology
  let net = allocation.value
  for (let k = 0; k < allocation.edges.length; k++) {
    const edge = allocation.edges[k]!
    const [input, output] = [allocation.input[k]!, allocation.output[k]!]
    const ends = { sold: allocation.price(from[edge]!), bought: allocation.price(to[edge]!) }
    // Edges that carry only rounding do not become legs.
    if (input * ends.sold > NEGLIGIBLE * allocation.value) net -= costAtBest(problem, edge, { input, output }, ends)
  }
  return net
}

/** Removes edges that a removal activated and that do not earn their cost. Returns false if there are none. */
function sendBack(problem: Problem, allocation: Allocation, idle: ReadonlySet<number>): boolean {
  const activated = [...edgeProfits(problem, allocation)].filter(
    ([edge, { profit, cost }]) => idle.has(edge) && profit < cost,
  )
  if (activated.length === 0) return false
  allocation.removeEdges(new Set(activated.map(([edge]) => edge)))
  solve(allocation, MAX_RESIDUAL, FEW_STEPS)
  return true
}

type Removal = {
  readonly edges: readonly number[]
  readonly cause: number
  readonly saving: number
  readonly earned: number
}

/** Removals whose savings exceed their losses, best first. */
function savings(
  problem: Problem,
  allocation: Allocation,
  retained: ReadonlySet<number>,
  considered?: readonly number[],
): readonly Removal[] {
  const profits = edgeProfits(problem, allocation)
  let ways: UsedEdges | undefined
  const removals: Removal[] = []
  for (const [edge, { profit, cost }] of profits) {
    if (retained.has(edge) || profit > cost * CLEARLY_PROFITABLE) continue
    ways ??= usedEdges(problem, considered ?? [...profits.keys()])
    if (profit >= cost && isIndependent(problem, ways, edge)) continue
    const edges = dependentEdges(problem, ways, edge)
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
