/**
 * Prunes an allocation: removes the edges whose earnings do not cover their gas. An allocation is a flow over some
 * edges (pools in one direction), with a price for each token. An edge that carries no flow is idle. Called by
 * `search.ts` and `alternatives.ts`.
 */

import type { Problem } from '../problem/problem.ts'
import type { Allocation, Checkpoint } from '../solver/allocation.ts'
import { solveDual } from '../solver/dual-solver.ts'
import { type Flow, flowOf } from '../solver/flow.ts'
import {
  CLEARLY_PROFITABLE_RATIO,
  FIRST_PRUNE_BATCH_SHARE,
  MANY_EDGES_IN_USE,
  MAX_PRUNE_ROUNDS,
  MAX_RESIDUAL,
  MAX_STEPS_AFTER_CHANGE,
  NEGLIGIBLE_SHARE,
  UNPROFITABLE_RATIO,
  UNRESOLVED_SHARE,
  UNSOLVED_SHARE,
} from '../tolerances.ts'
import {
  dependentEdges,
  earningsAndCosts,
  groupUsedEdges,
  idleEdges,
  isIndependent,
  type UsedEdges,
} from './edge-earnings.ts'
import { withinLimits } from './limits.ts'
import { costAtBestStop, stopAtTicks } from './ticks.ts'

const NO_EDGES: ReadonlySet<number> = new Set()

/**
 * Prunes an allocation in place and returns its flow; null if the remaining edges have none. An edge is removed
 * together with all edges that depend on it, if all of them together earn less than their cost at the current prices.
 * The largest savings come first, at the beginning in batches. A removal changes the prices, so it may cost more output
 * than the edges earned. Therefore, the allocation is solved again after each removal. If the net output did not
 * improve, edges that began to trade are removed too if they do not earn their cost. If it still did not improve, the
 * removal is undone.
 *
 * @param idleEdgePolicy - `keep`: idle edges may take over flow from removed edges; `drop`: idle edges are removed
 *   first
 */
export function prune(problem: Problem, allocation: Allocation, idleEdgePolicy: 'drop' | 'keep'): Flow | null {
  if (idleEdgePolicy === 'drop') {
    allocation.removeEdges(idleEdges(allocation))
    allocation.evaluate()
  }
  const retainedEdges = new Set<number>()
  let batchShare = FIRST_PRUNE_BATCH_SHARE
  let best = netOf(problem, allocation)
  for (let round = 0; round < MAX_PRUNE_ROUNDS; round++) {
    const removals = profitableRemovals(problem, allocation, retainedEdges)
    const [firstRemoval] = removals
    if (!firstRemoval) break
    const batchableRemovals = removals.filter(
      ({ saving, earnings }) => earnings < UNPROFITABLE_RATIO * (saving + earnings),
    )
    const batchRemovals = batchableRemovals.slice(0, Math.floor(batchableRemovals.length * batchShare))
    const checkpoint = allocation.checkpoint()
    const idleEdgesBefore = idleEdges(allocation)
    allocation.removeEdges(
      new Set((batchRemovals.length > 1 ? batchRemovals : [firstRemoval]).flatMap(({ edges }) => edges)),
    )
    solveDual(allocation, MAX_RESIDUAL, MAX_STEPS_AFTER_CHANGE)
    let net = netOf(problem, allocation)
    if (net <= best && removeUnprofitableActivatedEdges(problem, allocation, idleEdgesBefore))
      net = netOf(problem, allocation)
    if (net > best) {
      best = net
      continue
    }
    allocation.restore(checkpoint)
    allocation.evaluate()
    if (batchRemovals.length > 1) batchShare /= 4
    else retainedEdges.add(firstRemoval.cause)
  }
  return finalFlow(problem, allocation)
}

/**
 * Returns true if both lists contain the same edges in any order, and are so long that pruning them again would be
 * expensive.
 */
export function isSameLongList(edges: readonly number[], otherEdges: readonly number[]): boolean {
  const otherSet = new Set(otherEdges)
  return edges.length > MANY_EDGES_IN_USE && edges.length === otherSet.size && edges.every((edge) => otherSet.has(edge))
}

function finalFlow(problem: Problem, allocation: Allocation): Flow | null {
  const flow = flowOf(problem, allocation)
  const limitedFlow = flow && withinLimits(problem, allocation, flow)
  return limitedFlow && stopAtTicks(problem, allocation, limitedFlow)
}

/**
 * Prunes a small allocation in place, more thoroughly than `prune`. Each round tries all removals, and keeps the
 * removal that improves the net output most. Idle edges may replace a removed edge, so that its neighbors do not become
 * dead ends.
 */
export function pruneByTrial(problem: Problem, allocation: Allocation): Flow | null {
  let best = netOf(problem, allocation)
  // Each round removes edges, or is the last.
  for (;;) {
    const checkpoint = allocation.checkpoint()
    let bestCheckpoint: Checkpoint | null = null
    for (const { edges } of removalsToTry(problem, allocation)) {
      allocation.removeEdges(new Set(edges))
      solveDual(allocation, MAX_RESIDUAL, MAX_STEPS_AFTER_CHANGE)
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
 * Lists the removals to try. Edges that a removal makes dead ends are removed with it. This set is computed twice: if
 * only edges in use can replace the removed edge, and if idle edges can, too. If the sets differ, both are listed.
 */
function removalsToTry(problem: Problem, allocation: Allocation): readonly Removal[] {
  const removalsWithUsedReplacements = profitableRemovals(problem, allocation, NO_EDGES)
  const removalsWithAnyReplacements = profitableRemovals(problem, allocation, NO_EDGES, allocation.edges)
  const edgeCountByCause = new Map(removalsWithUsedReplacements.map(({ cause, edges }) => [cause, edges.length]))
  return [
    ...removalsWithUsedReplacements,
    ...removalsWithAnyReplacements.filter(({ cause, edges }) => edgeCountByCause.get(cause) !== edges.length),
  ]
}

/**
 * Value of an allocation less the cost of its legs. It is −∞ if the allocation is not solved, for example without a
 * path to the target. It is also −∞ if the edges cannot take the whole trade.
 */
function netOf(problem: Problem, allocation: Allocation): number {
  if (!(allocation.residual < UNSOLVED_SHARE)) return Number.NEGATIVE_INFINITY
  // At the solved prices, the allocation may leave a part of the input unsold, although its flow can sell this part. So
  // the flow decides whether everything is sold.
  if (allocation.unsoldShare > UNRESOLVED_SHARE && flowOf(problem, allocation)?.unsoldShare !== 0)
    return Number.NEGATIVE_INFINITY
  const { from, to } = problem.graph.topology
  let net = allocation.value
  for (let k = 0; k < allocation.edges.length; k++) {
    const edge = allocation.edges[k]!
    const [input, output] = [allocation.input[k]!, allocation.output[k]!]
    const prices = { priceIn: allocation.price(from[edge]!), priceOut: allocation.price(to[edge]!) }
    // An edge that carries only rounding does not become a leg, so it costs nothing.
    if (input * prices.priceIn > NEGLIGIBLE_SHARE * allocation.value)
      net -= costAtBestStop(problem, edge, { input, output }, prices)
  }
  return net
}

/**
 * Removes the edges that began to trade after a removal and do not earn their cost. Returns false if there are none.
 *
 * @param idleEdgesBefore - edges that were idle before the removal
 */
function removeUnprofitableActivatedEdges(
  problem: Problem,
  allocation: Allocation,
  idleEdgesBefore: ReadonlySet<number>,
): boolean {
  const unprofitableEdges = [...earningsAndCosts(problem, allocation)].filter(
    ([edge, { earnings, cost }]) => idleEdgesBefore.has(edge) && earnings < cost,
  )
  if (unprofitableEdges.length === 0) return false
  allocation.removeEdges(new Set(unprofitableEdges.map(([edge]) => edge)))
  solveDual(allocation, MAX_RESIDUAL, MAX_STEPS_AFTER_CHANGE)
  return true
}

type Removal = {
  /** The edge to remove, and all edges that would become dead ends. */
  readonly edges: readonly number[]
  /** The edge to remove. */
  readonly cause: number
  /** Cost less earnings of the edges, in output base units. */
  readonly saving: number
  /** Earnings of the edges before gas, in output base units. */
  readonly earnings: number
}

/**
 * Removals that save more than they lose at the current prices, largest saving first.
 *
 * @param retainedEdges - edges whose removal was undone
 * @param consideredEdges - edges that can replace a removed edge; by default all edges in use
 */
function profitableRemovals(
  problem: Problem,
  allocation: Allocation,
  retainedEdges: ReadonlySet<number>,
  consideredEdges?: readonly number[],
): readonly Removal[] {
  const earningsByEdge = earningsAndCosts(problem, allocation)
  let edgesByToken: UsedEdges | undefined
  const removals: Removal[] = []
  for (const [edge, { earnings, cost }] of earningsByEdge) {
    if (retainedEdges.has(edge) || earnings > cost * CLEARLY_PROFITABLE_RATIO) continue
    edgesByToken ??= groupUsedEdges(problem, consideredEdges ?? [...earningsByEdge.keys()])
    if (earnings >= cost && isIndependent(problem, edgesByToken, edge)) continue
    const edges = dependentEdges(problem, edgesByToken, edge)
    if (!edges) continue
    let saving = 0
    let totalEarnings = 0
    for (const dependentEdge of edges) {
      const dependent = earningsByEdge.get(dependentEdge)
      if (!dependent) continue
      saving += dependent.cost - dependent.earnings
      totalEarnings += dependent.earnings
    }
    if (saving > 0) removals.push({ edges, cause: edge, saving, earnings: totalEarnings })
  }
  return removals.sort((a, b) => b.saving - a.saving)
}
