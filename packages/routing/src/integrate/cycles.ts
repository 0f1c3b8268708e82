/**
 * Opens cycles. If pools disagree on a price by more than their fees, the best allocation trades in a circle. That is
 * an arbitrage and not the user's trade. Each cycle is cut at the edge that carries least, and the rest is allocated
 * again.
 */

import { generateColumns } from '../columns/columns.ts'
import type { Frontier } from '../columns/frontier.ts'
import type { Graph } from '../graph/graph.ts'
import { WorkBudget } from '../problem/budget.ts'
import { type Problem, without } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { type Flow, groupBy, isAcyclic } from '../solver/flow.ts'
import { CYCLE_CHECK, CYCLE_GAIN, CYCLE_ROUNDS, NEGLIGIBLE } from '../tolerances.ts'

/** An allocation, and the problem without the removed edges. */
export type OpenAllocation = { readonly open: Problem; readonly allocation: Allocation }

/**
 * Returns true if some pools disagree on a price by more than their fees. Most graphs have none, whichever pools a
 * request excludes.
 */
export function gainsInCycle({ graph, rate, adjustedCurves, budget }: Problem): boolean {
  // Cached for all requests of the block, so no request is charged for it.
  graph.facts.gainsInCycle ??= new WorkBudget().attempt(
    1,
    (ownBudget) => feedsItself(graph, graph.rate, ownBudget),
    () => true,
  )
  return (graph.facts.gainsInCycle || adjustedCurves.size > 0) && feedsItself(graph, rate, budget)
}

/**
 * Corrects labels that gain until one feeds itself. A label of round n stands for a path of n edges. So after as many
 * rounds as there are tokens, some path visits a token twice.
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

/** Returns true if the path that led to a token's label visits a token twice. */
function leadsBack(link: Int32Array, from: ArrayLike<number>, token: number): boolean {
  const visited = new Set<number>()
  for (let at = token; link[at]! >= 0; at = from[link[at]!]!) {
    if (visited.has(at)) return true
    visited.add(at)
  }
  return false
}

/** Removes edges from an allocation until it has no cycle. */
export function openCycles({ open, allocation }: OpenAllocation, around: (open: Problem) => Frontier): OpenAllocation {
  let remaining = open
  for (let round = 0; round < CYCLE_ROUNDS; round++) {
    const closing = closingEdges(remaining, allocation)
    if (closing.size === 0) break
    remaining = without(remaining, closing)
    allocation.removeEdges(closing)
    generateColumns(remaining, allocation, around(remaining))
  }
  return { open: remaining, allocation }
}

/** The tokens that a flow sells, in its order. */
export function orderOf({ graph }: Problem, { edges }: Flow): readonly number[] {
  return [...new Set(edges.map((edge) => graph.topology.from[edge]!))]
}

/** The problem without edges from a token to an earlier one in the order. */
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

/** The edges to remove: of each cycle the one that carries least, after deducting the amounts of earlier cycles. */
function closingEdges(problem: Problem, allocation: Allocation): Set<number> {
  const { from, to } = problem.graph.topology
  const carried = new Map<number, number>()
  for (let k = 0; k < allocation.edges.length; k++) {
    if (!(allocation.input[k]! > 0)) continue
    const edge = allocation.edges[k]!
    const value = allocation.input[k]! * allocation.price(from[edge]!)
    if (value > NEGLIGIBLE * allocation.value) carried.set(edge, value)
  }
  const closing = new Set<number>()
  if (isAcyclic(problem, [...carried.keys()])) return closing
  const outOf = groupBy(carried.keys(), (edge) => from[edge]!)
  const done = new Set<number>()
  for (const start of outOf.keys()) {
    // Depth-first search. When the path meets itself, the cycle is cut and the path continues from the cut.
    const way: number[] = []
    let token = start
    // Each round extends the path, finishes a token, or removes an edge that closes a cycle.
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
      const min = Math.min(...cycle.map((step) => carried.get(step)!))
      for (const step of cycle) {
        const remaining = carried.get(step)! - min
        carried.set(step, remaining)
        if (remaining <= 0) closing.add(step)
      }
      const first = way.findIndex((step) => closing.has(step))
      token = from[way[first]!]!
      way.length = first
    }
  }
  return closing
}
