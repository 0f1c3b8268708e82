/** Profit and cost of an allocation's edges, and the edges that depend on each. */

import type { Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { groupBy } from '../solver/flow.ts'
import { costAtBestStop } from './ticks.ts'

/** Profit at the current prices, and cost, of every edge in use, in output base units. */
export function edgeProfits(problem: Problem, allocation: Allocation) {
  const { from, to } = problem.graph.topology
  const profits = new Map<number, { readonly profit: number; readonly cost: number }>()
  problem.budget.spend(8 * allocation.edges.length + 1)
  allocation.edges.forEach((edge, k) => {
    const input = allocation.input[k]!
    if (!(input > 0)) return
    const output = allocation.output[k]!
    const ends = { sold: allocation.price(from[edge]!), bought: allocation.price(to[edge]!) }
    const profit = output * ends.bought - input * ends.sold
    profits.set(edge, { profit, cost: costAtBestStop(problem, edge, { input, output }, ends) })
  })
  return profits
}

/** Edges in use by bought token and by sold token. */
export type UsedEdges = {
  readonly into: ReadonlyMap<number, readonly number[]>
  readonly outOf: ReadonlyMap<number, readonly number[]>
}

export function groupUsedEdges({ graph }: Problem, used: readonly number[]): UsedEdges {
  const { from, to } = graph.topology
  return { into: groupBy(used, (edge) => to[edge]!), outOf: groupBy(used, (edge) => from[edge]!) }
}

/** Returns true if no other edge depends on this one, which is the usual case: both of its tokens have other edges. */
export function isIndependent({ graph, budget }: Problem, { into, outOf }: UsedEdges, edge: number): boolean {
  const { from, to } = graph.topology
  const incoming = into.get(to[edge]!) ?? []
  const outgoing = outOf.get(from[edge]!) ?? []
  const isOther = (other: number) => other !== edge
  if (!incoming.some(isOther) || !outgoing.some(isOther)) return false
  budget.spend(4 + incoming.length + outgoing.length)
  return true
}

/**
 * Returns the removed edge with all edges that the removal leaves without an input or an output. Null if no path to the
 * target would remain.
 */
export function dependentEdges(
  problem: Problem,
  edgesByToken: UsedEdges,
  removedEdge: number,
): readonly number[] | null {
  if (isIndependent(problem, edgesByToken, removedEdge)) return [removedEdge]
  const { source, target, graph, budget } = problem
  const { into, outOf } = edgesByToken
  const { from, to } = graph.topology
  const removed = new Set([removedEdge])
  const queue = [removedEdge]
  const remove = (edges: readonly number[]) => {
    for (const edge of edges) {
      if (removed.has(edge)) continue
      removed.add(edge)
      queue.push(edge)
    }
  }
  for (let edge = queue.pop(); edge !== undefined; edge = queue.pop()) {
    const u = from[edge]!
    const v = to[edge]!
    budget.spend(4 + (into.get(v)?.length ?? 0) + (outOf.get(u)?.length ?? 0))
    const hasNoInput = (into.get(v) ?? []).every((other) => removed.has(other))
    const hasNoOutput = (outOf.get(u) ?? []).every((other) => removed.has(other))
    if ((hasNoInput && v === target) || (hasNoOutput && u === source)) return null
    if (hasNoInput) remove(outOf.get(v) ?? [])
    if (hasNoOutput) remove(into.get(u) ?? [])
  }
  return [...removed]
}

/** Edges without flow. */
export function idleEdges(allocation: Allocation): ReadonlySet<number> {
  return new Set(allocation.edges.filter((_, k) => !(allocation.input[k]! > 0)))
}
