/**
 * Earnings and costs of an allocation's edges, and the edges that depend on each of them. An edge is a pool in one
 * direction. An allocation is a flow over some edges, with a price for each token. The earnings of an edge are the
 * value of its output less the value of its input.
 */

import type { Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { groupBy } from '../solver/flow.ts'
import { costAtBestStop } from './ticks.ts'

/**
 * Returns, for every edge in use, its earnings at the current prices before gas, and its gas cost, in output base
 * units.
 */
export function earningsAndCosts(problem: Problem, allocation: Allocation) {
  const { from, to } = problem.graph.topology
  const earningsByEdge = new Map<number, { readonly earnings: number; readonly cost: number }>()
  problem.budget.spend(8 * allocation.edges.length + 1)
  allocation.edges.forEach((edge, k) => {
    const input = allocation.input[k]!
    if (!(input > 0)) return
    const output = allocation.output[k]!
    const prices = { priceIn: allocation.price(from[edge]!), priceOut: allocation.price(to[edge]!) }
    const earnings = output * prices.priceOut - input * prices.priceIn
    earningsByEdge.set(edge, { earnings, cost: costAtBestStop(problem, edge, { input, output }, prices) })
  })
  return earningsByEdge
}

/** Edges in use by bought token and by sold token. */
export type UsedEdges = {
  readonly byBoughtToken: ReadonlyMap<number, readonly number[]>
  readonly bySoldToken: ReadonlyMap<number, readonly number[]>
}

export function groupUsedEdges({ graph }: Problem, usedEdges: readonly number[]): UsedEdges {
  const { from, to } = graph.topology
  return {
    byBoughtToken: groupBy(usedEdges, (edge) => to[edge]!),
    bySoldToken: groupBy(usedEdges, (edge) => from[edge]!),
  }
}

/**
 * Returns true if no other edge depends on `edge`: another edge also buys its bought token, and another edge also sells
 * its sold token. This is the usual case.
 */
export function isIndependent(
  { graph, budget }: Problem,
  { byBoughtToken, bySoldToken }: UsedEdges,
  edge: number,
): boolean {
  const { from, to } = graph.topology
  const incoming = byBoughtToken.get(to[edge]!) ?? []
  const outgoing = bySoldToken.get(from[edge]!) ?? []
  const isOther = (other: number) => other !== edge
  if (!incoming.some(isOther) || !outgoing.some(isOther)) return false
  budget.spend(4 + incoming.length + outgoing.length)
  return true
}

/**
 * Returns a removed edge together with all edges that its removal makes dead ends. Null if no path to the target would
 * remain.
 */
export function dependentEdges(
  problem: Problem,
  edgesByToken: UsedEdges,
  removedEdge: number,
): readonly number[] | null {
  if (isIndependent(problem, edgesByToken, removedEdge)) return [removedEdge]
  const { source, target, graph, budget } = problem
  const { byBoughtToken, bySoldToken } = edgesByToken
  const { from, to } = graph.topology
  const removedEdges = new Set([removedEdge])
  const queue = [removedEdge]
  const remove = (edges: readonly number[]) => {
    for (const edge of edges) {
      if (removedEdges.has(edge)) continue
      removedEdges.add(edge)
      queue.push(edge)
    }
  }
  for (let edge = queue.pop(); edge !== undefined; edge = queue.pop()) {
    const soldToken = from[edge]!
    const boughtToken = to[edge]!
    budget.spend(4 + (byBoughtToken.get(boughtToken)?.length ?? 0) + (bySoldToken.get(soldToken)?.length ?? 0))
    const hasNoInflow = (byBoughtToken.get(boughtToken) ?? []).every((other) => removedEdges.has(other))
    const hasNoOutflow = (bySoldToken.get(soldToken) ?? []).every((other) => removedEdges.has(other))
    if ((hasNoInflow && boughtToken === target) || (hasNoOutflow && soldToken === source)) return null
    if (hasNoInflow) remove(bySoldToken.get(boughtToken) ?? [])
    if (hasNoOutflow) remove(byBoughtToken.get(soldToken) ?? [])
  }
  return [...removedEdges]
}

/** Edges of an allocation that do not trade. */
export function idleEdges(allocation: Allocation): ReadonlySet<number> {
  return new Set(allocation.edges.filter((_, k) => !(allocation.input[k]! > 0)))
}
