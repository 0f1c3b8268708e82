/**
 * Cycles: where pools disagree on a price by more than their fees, the best allocation runs money in cycles: an arbitrage,
 * which is not for the user to carry. The cycles are opened at the edge that carries least, and the rest is divided again.
 */

import { generateColumns } from '../columns/columns.ts'
import type { Frontier } from '../columns/frontier.ts'
import type { Graph } from '../graph/graph.ts'
import { WorkBudget } from '../problem/budget.ts'
import { type Problem, without } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { type Flow, groupBy, isAcyclic } from '../solver/flow.ts'
import { CYCLE_CHECK, CYCLE_GAIN, CYCLE_ROUNDS, NEGLIGIBLE } from '../tolerances.ts'

/** An allocation of the trade, and the problem it is of: without the edges that had to go. */
export type OpenAllocation = { readonly open: Problem; readonly allocation: Allocation }

/**
 * True where some pools disagree on a price by more than their fees. Most graphs have none, whatever a request leaves
 * out.
 */
export function gainsInCycle({ graph, rate, taxed, budget }: Problem): boolean {
  // Known to all requests of the block, so none of them pays for it.
  graph.facts.gainsInCycle ??= new WorkBudget().attempt(
    1,
    (own) => feedsItself(graph, graph.rate, own),
    () => true,
  )
  return (graph.facts.gainsInCycle || taxed.size > 0) && feedsItself(graph, rate, budget)
}

/**
 * Labels that gain are corrected until one feeds itself. A label of a round stands for a way of as many edges: after as many
 * rounds as there are tokens, it has come by one of them twice.
 */
function feedsItself(graph: Graph, rate: Float64Array, budget: WorkBudget): boolean {
  const { from, to, offset, tokens, scratch } = graph.topology
  const best = scratch.floats(tokens.length, 1)
  const link = scratch.ints(tokens.length, -1)
  let frontier = tokens.map((_, token) => token)
  for (let round = 1; frontier.length > 0; round++) {
    if (round > tokens.length) return true
    const next = new Set<number>()
    for (const token of frontier) {
      budget.spend(1 + offset[token + 1]! - offset[token]!)
      for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
        const other = to[edge]!
        const label = best[token]! * rate[edge]!
        if (!(label > best[other]! * (1 + CYCLE_GAIN))) continue
        best[other] = label
        link[other] = edge
        next.add(other)
      }
    }
    frontier = [...next]
    if (round % CYCLE_CHECK === 0 && frontier.some((token) => leadsBack(link, from, token))) return true
  }
  return false
}

/** True where the way by which a token got its label comes by a token twice. */
function leadsBack(link: Int32Array, from: ArrayLike<number>, token: number): boolean {
  const seen = new Set<number>()
  for (let at = token; link[at]! >= 0; at = from[link[at]!]!) {
    if (seen.has(at)) return true
    seen.add(at)
  }
  return false
}

/** Takes edges out of an allocation until money runs in no cycle. */
export function openCycles({ open, allocation }: OpenAllocation, around: (open: Problem) => Frontier): OpenAllocation {
  let left = open
  for (let round = 0; round < CYCLE_ROUNDS; round++) {
    const closing = closingEdges(left, allocation)
    if (closing.size === 0) break
    left = without(left, closing)
    allocation.removeEdges(closing)
    generateColumns(left, allocation, around(left))
  }
  return { open: left, allocation }
}

/** The tokens that a flow sells, in its order. */
export function orderOf({ graph }: Problem, { edges }: Flow): readonly number[] {
  return [...new Set(edges.map((edge) => graph.topology.from[edge]!))]
}

/** The problem without the edges that lead back from a token to an earlier one. */
export function inOrderOf(problem: Problem, order: readonly number[]): Problem {
  const { to, offset } = problem.graph.topology
  const place = new Map(order.map((token, at) => [token, at]))
  const backwards: number[] = []
  for (const [token, at] of place) {
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++)
      if ((place.get(to[edge]!) ?? at) < at) backwards.push(edge)
  }
  return without(problem, backwards)
}

/** The edges to take out: of every cycle the one that carries least, once what the cycles share is taken off. */
function closingEdges(problem: Problem, allocation: Allocation): Set<number> {
  const { from, to } = problem.graph.topology
  const carried = new Map<number, number>()
  for (let k = 0; k < allocation.edges.length; k++) {
    if (!(allocation.input[k]! > 0)) continue
    const edge = allocation.edges[k]!
    const worth = allocation.input[k]! * allocation.price(from[edge]!)
    if (worth > NEGLIGIBLE * allocation.value) carried.set(edge, worth)
  }
  const closing = new Set<number>()
  if (isAcyclic(problem, [...carried.keys()])) return closing
  const outOf = groupBy(carried.keys(), (edge) => from[edge]!)
  const done = new Set<number>()
  for (const start of outOf.keys()) {
    // Depth first; whenever the way meets itself, the cycle is opened and the way goes on from there.
    const way: number[] = []
    let token = start
    // Each turn adds an edge to the way, is done with a token for good, or takes an edge that closes a cycle out for good.
    for (;;) {
      problem.budget.spend(4 + way.length)
      const edge = done.has(token)
        ? undefined
        : outOf.get(token)?.find((next) => !closing.has(next) && !done.has(to[next]!))
      if (edge === undefined) {
        done.add(token)
        const last = way.pop()
        if (last === undefined) break
        token = from[last]!
        continue
      }
      way.push(edge)
      token = to[edge]!
      const at = way.findIndex((step) => from[step] === token)
      if (at < 0) continue
      const cycle = way.slice(at)
      const least = Math.min(...cycle.map((step) => carried.get(step)!))
      for (const step of cycle) {
        const left = carried.get(step)! - least
        carried.set(step, left)
        if (left <= 0) closing.add(step)
      }
      const first = way.findIndex((step) => closing.has(step))
      token = from[way[first]!]!
      way.length = first
    }
  }
  return closing
}
