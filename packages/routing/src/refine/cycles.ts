/**
 * Opens the cycles of an allocation: a flow over some edges (pools in one direction), with a price for each token. If
 * pools disagree on a price by more than their fees, the best allocation trades in a cycle. Such an arbitrage is not
 * part of the user's trade. Each cycle is opened by removing the edge that carries the least value, and then the trade
 * is allocated again. Called by `search.ts`.
 */

import { generateColumns } from '../columns/columns.ts'
import type { Frontier } from '../columns/frontier.ts'
import type { Graph } from '../graph/graph.ts'
import { WorkBudget } from '../problem/budget.ts'
import { type Problem, withoutEdges } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { type Flow, groupBy, isAcyclic } from '../solver/flow.ts'
import { CYCLE_CHECK_INTERVAL, MAX_CYCLE_ROUNDS, MIN_CYCLE_GAIN, NEGLIGIBLE_SHARE } from '../tolerances.ts'

/** An allocation, and its problem without the edges that were removed to open cycles. */
export type OpenAllocation = { readonly openProblem: Problem; readonly allocation: Allocation }

/**
 * Returns true if some pools that the problem admits disagree on a price by more than their fees. The whole graph is
 * checked once, and the result is cached; in most graphs, no pools disagree. The problem itself is checked only if its
 * graph has such a cycle, or if the request changes price curves.
 */
export function hasProfitableCycle({ graph, rate, adjustedCurves, budget }: Problem): boolean {
  // The result serves all requests of the block, so it must not depend on the budget of this one.
  graph.facts.hasProfitableCycle ??= new WorkBudget().attempt(
    1,
    (ownBudget) => hasGainingCycle(graph, graph.rate, ownBudget),
    () => true,
  )
  return (graph.facts.hasProfitableCycle || adjustedCurves.size > 0) && hasGainingCycle(graph, rate, budget)
}

/**
 * Searches by label correction for a path that visits a token twice and returns more of it than it took. A label is the
 * highest product of rates of a path to the token; a label of round n belongs to a path of n edges. If labels still
 * change after as many rounds as there are tokens, some path visits a token twice.
 */
function hasGainingCycle(graph: Graph, rate: Float64Array, budget: WorkBudget): boolean {
  const { from, to, offset, tokens, scratch } = graph.topology
  const best = scratch.floats(tokens.length, 1)
  const link = scratch.ints(tokens.length, -1)
  let layer = tokens.map((_, token) => token)
  for (let round = 1; layer.length > 0; round++) {
    if (round > tokens.length) return true
    const nextLayer = new Set<number>()
    for (const token of layer) {
      budget.spend(1 + offset[token + 1]! - offset[token]!)
      for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
        const neighbor = to[edge]!
        const label = best[token]! * rate[edge]!
        if (!(label > best[neighbor]! * (1 + MIN_CYCLE_GAIN))) continue
        best[neighbor] = label
        link[neighbor] = edge
        nextLayer.add(neighbor)
      }
    }
    layer = [...nextLayer]
    if (round % CYCLE_CHECK_INTERVAL === 0 && layer.some((token) => visitsTokenTwice(link, from, token))) return true
  }
  return false
}

/** Returns true if the path of a token's label visits some token twice. */
function visitsTokenTwice(link: Int32Array, from: ArrayLike<number>, token: number): boolean {
  const visited = new Set<number>()
  for (let visitedToken = token; link[visitedToken]! >= 0; visitedToken = from[link[visitedToken]!]!) {
    if (visited.has(visitedToken)) return true
    visited.add(visitedToken)
  }
  return false
}

/** Removes edges from an allocation until it has no cycle. */
export function openCycles(
  { openProblem, allocation }: OpenAllocation,
  newFrontier: (openProblem: Problem) => Frontier,
): OpenAllocation {
  let acyclicProblem = openProblem
  for (let round = 0; round < MAX_CYCLE_ROUNDS; round++) {
    const closingEdgeSet = closingEdges(acyclicProblem, allocation)
    if (closingEdgeSet.size === 0) break
    acyclicProblem = withoutEdges(acyclicProblem, closingEdgeSet)
    allocation.removeEdges(closingEdgeSet)
    generateColumns(acyclicProblem, allocation, newFrontier(acyclicProblem))
  }
  return { openProblem: acyclicProblem, allocation }
}

/** The tokens that a flow sells, in the order of its edges. */
export function soldTokenOrder({ graph }: Problem, { edges }: Flow): readonly number[] {
  return [...new Set(edges.map((edge) => graph.topology.from[edge]!))]
}

/** The problem without the edges that sell a token of the order for an earlier token of this order. */
export function restrictToOrder(problem: Problem, order: readonly number[]): Problem {
  const { to, offset } = problem.graph.topology
  const positionByToken = new Map(order.map((token, position) => [token, position]))
  const backwardEdges: number[] = []
  for (const [token, position] of positionByToken) {
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++)
      if ((positionByToken.get(to[edge]!) ?? position) < position) backwardEdges.push(edge)
  }
  return withoutEdges(problem, backwardEdges)
}

/**
 * The edges to remove: in each cycle, the edge that carries the least value. This value is deducted from all edges of
 * the cycle before the next cycle is searched.
 */
function closingEdges(problem: Problem, allocation: Allocation): Set<number> {
  const { from, to } = problem.graph.topology
  const valueByEdge = new Map<number, number>()
  for (let k = 0; k < allocation.edges.length; k++) {
    if (!(allocation.input[k]! > 0)) continue
    const edge = allocation.edges[k]!
    const value = allocation.input[k]! * allocation.price(from[edge]!)
    if (value > NEGLIGIBLE_SHARE * allocation.value) valueByEdge.set(edge, value)
  }
  const closingEdgeSet = new Set<number>()
  if (isAcyclic(problem, [...valueByEdge.keys()])) return closingEdgeSet
  const edgesBySoldToken = groupBy(valueByEdge.keys(), (edge) => from[edge]!)
  const finishedTokens = new Set<number>()
  for (const startToken of edgesBySoldToken.keys()) {
    // Depth-first search. When the path reaches one of its own tokens, it contains a cycle. Then the edge with the
    // least value is removed, and the path continues from where that edge began.
    const path: number[] = []
    let token = startToken
    // Each round extends the path, finishes a token, or removes an edge that closes a cycle.
    for (;;) {
      problem.budget.spend(4 + path.length)
      const edge = finishedTokens.has(token)
        ? undefined
        : edgesBySoldToken
            .get(token)
            ?.find((candidate) => !closingEdgeSet.has(candidate) && !finishedTokens.has(to[candidate]!))
      if (edge === undefined) {
        finishedTokens.add(token)
        const lastEdge = path.pop()
        if (lastEdge === undefined) break
        token = from[lastEdge]!
        continue
      }
      path.push(edge)
      token = to[edge]!
      const cycleStart = path.findIndex((pathEdge) => from[pathEdge] === token)
      if (cycleStart < 0) continue
      const cycle = path.slice(cycleStart)
      const minValue = Math.min(...cycle.map((cycleEdge) => valueByEdge.get(cycleEdge)!))
      for (const cycleEdge of cycle) {
        const remainingValue = valueByEdge.get(cycleEdge)! - minValue
        valueByEdge.set(cycleEdge, remainingValue)
        if (remainingValue <= 0) closingEdgeSet.add(cycleEdge)
      }
      const firstClosedIndex = path.findIndex((cycleEdge) => closingEdgeSet.has(cycleEdge))
      token = from[path[firstClosedIndex]!]!
      path.length = firstClosedIndex
    }
  }
  return closingEdgeSet
}
