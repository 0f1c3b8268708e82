/** Removes edges that do not earn their gas from an allocation. */

import type { Problem } from '../problem/problem.ts'
import type { Allocation, Checkpoint } from '../solver/allocation.ts'
import { solveDual } from '../solver/dual-solver.ts'
import { type Flow, flowOf } from '../solver/flow.ts'
import {
  CLEARLY_PROFITABLE_RATIO,
  FEW_STEPS,
  MANY_EDGES_IN_USE,
  MAX_RESIDUAL,
  NEGLIGIBLE_SHARE,
  PRUNE_BATCH,
  PRUNE_ROUNDS,
  UNPROFITABLE_RATIO,
  UNRESOLVED_SHARE,
  UNSOLVED_SHARE,
} from '../tolerances.ts'
import {
  dependentEdges,
  edgeProfits,
  groupUsedEdges,
  idleEdges,
  isIndependent,
  type UsedEdges,
} from './edge-profits.ts'
import { withinLimits } from './limits.ts'
import { costAtBestStop, stopAtTicks } from './ticks.ts'

const NO_EDGES: ReadonlySet<number> = new Set()

/**
 * Prunes edge by edge. An edge's earnings at the current prices are a lower bound on the loss from its removal. Edges
 * that earn less than their cost are removed in order of savings, together with all edges that depend on them. Then the
 * allocation is solved again.
 *
 * @param idle - `keep`: idle edges may take over flow from removed ones
 */
export function prune(problem: Problem, allocation: Allocation, idle: 'drop' | 'keep'): Flow | null {
  if (idle === 'drop') {
    allocation.removeEdges(idleEdges(allocation))
    allocation.evaluate()
  }
  const retainedEdges = new Set<number>()
  let batch = PRUNE_BATCH
  let best = netOf(problem, allocation)
  for (let round = 0; round < PRUNE_ROUNDS; round++) {
    const removals = profitableRemovals(problem, allocation, retainedEdges)
    const [first] = removals
    if (!first) break
    const unprofitable = removals.filter(({ saving, earned }) => earned < UNPROFITABLE_RATIO * (saving + earned))
    const batchRemovals = unprofitable.slice(0, Math.floor(unprofitable.length * batch))
    const checkpoint = allocation.checkpoint()
    const idle = idleEdges(allocation)
    allocation.removeEdges(new Set((batchRemovals.length > 1 ? batchRemovals : [first]).flatMap(({ edges }) => edges)))
    solveDual(allocation, MAX_RESIDUAL, FEW_STEPS)
    let net = netOf(problem, allocation)
    if (net <= best && removeActivated(problem, allocation, idle)) net = netOf(problem, allocation)
    if (net > best) {
      best = net
      continue
    }
    allocation.restore(checkpoint)
    allocation.evaluate()
    if (batchRemovals.length > 1) batch /= 4
    else retainedEdges.add(first.cause)
  }
  return finalFlow(problem, allocation)
}

/** Returns true for the same edges in any order, if they are so many that pruning them again would be expensive. */
export function isSameLongList(edges: readonly number[], earlier: readonly number[]): boolean {
  const earlierEdges = new Set(earlier)
  return (
    edges.length > MANY_EDGES_IN_USE &&
    edges.length === earlierEdges.size &&
    edges.every((edge) => earlierEdges.has(edge))
  )
}

function finalFlow(problem: Problem, allocation: Allocation): Flow | null {
  const flow = flowOf(problem, allocation)
  const limitedFlow = flow && withinLimits(problem, allocation, flow)
  return limitedFlow && stopAtTicks(problem, allocation, limitedFlow)
}

/**
 * Prunes few edges more thoroughly: each round makes the removal that improves the net output most. Edges without flow
 * may replace a removed edge, which repairs paths that would otherwise be dead ends.
 */
export function pruneByTrial(problem: Problem, allocation: Allocation): Flow | null {
  let best = netOf(problem, allocation)
  // Each round removes edges, or is the last.
  for (;;) {
    const checkpoint = allocation.checkpoint()
    let bestCheckpoint: Checkpoint | null = null
    for (const { edges } of removalsToTry(problem, allocation)) {
      allocation.removeEdges(new Set(edges))
      solveDual(allocation, MAX_RESIDUAL, FEW_STEPS)
      const net = netOf(problem, allocation)
      if (net > best) {
        best = net
        bestCheckpoint = allocation.checkpoint()
      }
      allocation.restore(checkpoint)
    }
    allocation.restore(bestCheckpoint ?? checkpoint)
    allocation.evaluate()
    if (!bestCheckpoint) return finalFlow(problem, allocation)
  }
}

/**
 * Lists removals to try, each with the edges that depend on it. Lists both variants if they differ: only used edges
 * count as replacements, or idle edges also count.
 */
function removalsToTry(problem: Problem, allocation: Allocation): readonly Removal[] {
  const usedOnly = profitableRemovals(problem, allocation, NO_EDGES)
  const withIdle = profitableRemovals(problem, allocation, NO_EDGES, allocation.edges)
  const sizes = new Map(usedOnly.map(({ cause, edges }) => [cause, edges.length]))
  return [...usedOnly, ...withIdle.filter(({ cause, edges }) => sizes.get(cause) !== edges.length)]
}

/**
 * Net value of an allocation; −∞ if it was not solved (for example, without a path to the target), or if its edges
 * cannot take the whole trade.
 */
function netOf(problem: Problem, allocation: Allocation): number {
  if (!(allocation.residual < UNSOLVED_SHARE)) return Number.NEGATIVE_INFINITY
  // Unsold input must be zero even if it is worth almost nothing.
  if (allocation.unsoldShare > UNRESOLVED_SHARE && flowOf(problem, allocation)?.unsoldShare !== 0)
    return Number.NEGATIVE_INFINITY
  const { from, to } = problem.graph.topology
  let net = allocation.value
  for (let k = 0; k < allocation.edges.length; k++) {
    const edge = allocation.edges[k]!
    const [input, output] = [allocation.input[k]!, allocation.output[k]!]
    const ends = { sold: allocation.price(from[edge]!), bought: allocation.price(to[edge]!) }
    // Edges that carry only rounding do not become legs.
    if (input * ends.sold > NEGLIGIBLE_SHARE * allocation.value)
      net -= costAtBestStop(problem, edge, { input, output }, ends)
  }
  return net
}

/** Removes edges that a removal activated and that do not earn their cost. Returns false if there are none. */
function removeActivated(problem: Problem, allocation: Allocation, idle: ReadonlySet<number>): boolean {
  const activated = [...edgeProfits(problem, allocation)].filter(
    ([edge, { profit, cost }]) => idle.has(edge) && profit < cost,
  )
  if (activated.length === 0) return false
  allocation.removeEdges(new Set(activated.map(([edge]) => edge)))
  solveDual(allocation, MAX_RESIDUAL, FEW_STEPS)
  return true
}

type Removal = {
  readonly edges: readonly number[]
  readonly cause: number
  readonly saving: number
  readonly earned: number
}

/** Removals whose savings exceed their losses, best first. */
function profitableRemovals(
  problem: Problem,
  allocation: Allocation,
  retainedEdges: ReadonlySet<number>,
  consideredEdges?: readonly number[],
): readonly Removal[] {
  const profits = edgeProfits(problem, allocation)
  let edgesByToken: UsedEdges | undefined
  const removals: Removal[] = []
  for (const [edge, { profit, cost }] of profits) {
    if (retainedEdges.has(edge) || profit > cost * CLEARLY_PROFITABLE_RATIO) continue
    edgesByToken ??= groupUsedEdges(problem, consideredEdges ?? [...profits.keys()])
    if (profit >= cost && isIndependent(problem, edgesByToken, edge)) continue
    const edges = dependentEdges(problem, edgesByToken, edge)
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
