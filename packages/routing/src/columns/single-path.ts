/**
 * Finds the best single path for the whole amount, after gas, by best-first search. An edge is a pool in one direction.
 */

import { capacityOf, outputOf } from '../graph/price-curve.ts'
import { pathTo, type SpotRates } from '../problem/potentials.ts'
import { curveOf, legBaseCost, legCost, minLegCost, type Problem } from '../problem/problem.ts'
import { LABELS_PER_TOKEN, MAX_PATH_EDGES, MAX_PATH_QUOTES, MAX_USUAL_HOPS } from '../tolerances.ts'
import { MaxHeap } from './max-heap.ts'

/** A path from the source to a token. */
type Label = {
  /**
   * Upper bound on the net output of every path that continues this one. It is the amount of the token, valued at spot
   * rates to the target, less the gas so far and the minimum gas of the remaining legs.
   */
  readonly bound: number
  readonly token: number
  /** Amount of the token that the path buys, and cost of its legs in output base units. */
  readonly amount: number
  readonly cost: number
  /** Number of edges of the path. */
  readonly hops: number
  /** Sum of the hashes of the visited tokens. Labels that visited the same tokens in any order have the same sum. */
  readonly visitedHash: number
  /** Last edge of the path; −1 at the source. */
  readonly edge: number
  readonly previous: Label | null
}

/** Quotes edges for the path search, by their price curves or by the pools themselves. */
export type EdgeQuoter = {
  /** Returns the output of an edge for an input; 0 if the pool cannot take the input. */
  readonly output: (edge: number, amountIn: number) => number
  /** Maximum number of quotes in one path search. */
  readonly maxQuotes: number
  /** Work units of one quote. */
  readonly workPerQuote: number
}

/**
 * Bounds tighter than spot rates. With them, the search rejects most edges of a large graph without quoting their
 * pools.
 */
export type PathBounds = {
  /** Upper bound on the output of an edge for an input. */
  readonly maxOutput: (edge: number, amountIn: number) => number
  /** Upper bound on the value of an amount that the edge pays, in output base units. */
  readonly maxValue: (edge: number, amountOut: number) => number
}

/**
 * Returns a quoter that uses price curves.
 *
 * @param required - what a pool pays that cannot take the whole input. With `all`, it pays 0. With `a part`, it pays
 *   for the input that it can take
 */
export const curveQuoter = (problem: Problem, required: 'all' | 'a part' = 'all'): EdgeQuoter => ({
  output: (edge, amountIn) => {
    const curve = curveOf(problem, edge)
    return required === 'all' && amountIn > capacityOf(curve) ? 0 : outputOf(curve, amountIn)
  },
  maxQuotes: MAX_PATH_QUOTES,
  workPerQuote: 10,
})

/**
 * Finds the best path by best-first search. No trade gets a better rate than the spot rate, so each label has an upper
 * bound. The search ends once no bound is above the net output of the best path found. For each token and path length,
 * only the `LABELS_PER_TOKEN` labels with the highest bounds are kept. One label would not suffice: its path may
 * already visit a token that the best continuation needs. Of labels that visited the same tokens, only the best is
 * kept. The search can miss the best path only because of this limit on labels, and the limits on quotes and edges.
 *
 * @returns the best path found within the limits on quotes and edges; null if no path leads to the target, or if no
 *   path takes the amount
 */
export function bestSinglePath(
  problem: Problem,
  spotRates: SpotRates,
  quoter = curveQuoter(problem),
  bounds?: PathBounds,
): readonly number[] | null {
  const { source, target, amountIn, maxHops, rate, graph, budget } = problem
  const { offset, to } = graph.topology
  const { maxRate: valueBound, hops } = spotRates
  if (!(valueBound[source]! > 0)) return null
  const maxPathHops = Math.min(maxHops, Math.max(MAX_USUAL_HOPS, hops[source]!))
  const minCostPerLeg = minLegCost(problem)
  const queue = new MaxHeap<Label>()
  const pathLengths = maxPathHops + 1
  const touchedTokens: number[] = []
  const { bestBounds, visitedHashes } = labelSlots(problem, pathLengths, touchedTokens)
  const spotPath = pathTo(problem, spotRates, source, target)
  let bestNet = spotPath ? netOf(problem, spotPath, quoter) : Number.NEGATIVE_INFINITY
  let best = bestNet > Number.NEGATIVE_INFINITY ? spotPath : null
  let quotes = 0
  let visitedEdges = 0
  const startLabel = { token: source, amount: amountIn, cost: 0, hops: 0, visitedHash: 0, edge: -1, previous: null }
  queue.push({ ...startLabel, bound: amountIn * valueBound[source]! - hops[source]! * minCostPerLeg })
  for (let label = queue.pop(); label && label.bound > bestNet; label = queue.pop()) {
    if (quotes >= quoter.maxQuotes || visitedEdges >= MAX_PATH_EDGES) break
    visitedEdges += 1 + offset[label.token + 1]! - offset[label.token]!
    budget.spend(1 + offset[label.token + 1]! - offset[label.token]!)
    for (let edge = offset[label.token]!; edge < offset[label.token + 1]!; edge++) {
      const nextToken = to[edge]!
      if (rate[edge] === 0 || label.hops + 1 + hops[nextToken]! > maxPathHops) continue
      // Cheap tests come first: they reject most edges without a quote.
      const remainingCost = hops[nextToken]! * minCostPerLeg
      const spotValue = label.amount * rate[edge]! * valueBound[nextToken]! - label.cost
      if (bounds) {
        if (!(spotValue - minCostPerLeg - remainingCost > bestNet)) continue
        const maxValue = bounds.maxValue(edge, bounds.maxOutput(edge, label.amount))
        if (!(maxValue - label.cost - minCostPerLeg - remainingCost > bestNet)) continue
      }
      const slot = (nextToken * pathLengths + label.hops + 1) * LABELS_PER_TOKEN
      const threshold = Math.max(bestNet, bestBounds[slot + LABELS_PER_TOKEN - 1]!)
      if (!(spotValue - minCostPerLeg - remainingCost > threshold)) continue
      if (!(spotValue - legBaseCost(problem, edge) - remainingCost > threshold)) continue
      if (visits(label, nextToken)) continue
      quotes++
      budget.spend(quoter.workPerQuote)
      const amount = quoter.output(edge, label.amount)
      const cost = label.cost + legCost(problem, edge, label.amount)
      const value = bounds ? bounds.maxValue(edge, amount) : amount * valueBound[nextToken]!
      const bound = value - cost - remainingCost
      if (!(amount > 0 && bound > threshold)) continue
      const visitedHash = label.visitedHash + hashOfToken(nextToken)
      touchedTokens.push(nextToken)
      if (!insertBound(bestBounds, visitedHashes, slot, bound, visitedHash)) continue
      // Also inserts the bound in the slots of longer paths, because a longer path to the token is useful only if its
      // bound is higher.
      const slotsEnd = (nextToken + 1) * pathLengths * LABELS_PER_TOKEN
      for (let k = slot + LABELS_PER_TOKEN; k < slotsEnd; k += LABELS_PER_TOKEN)
        if (!insertBound(bestBounds, visitedHashes, k, bound, visitedHash)) break
      const nextLabel = {
        bound,
        token: nextToken,
        amount,
        cost,
        hops: label.hops + 1,
        visitedHash,
        edge,
        previous: label,
      }
      if (nextToken === target) {
        best = pathOf(nextLabel)
        bestNet = bound
      } else queue.push(nextLabel)
    }
  }
  return best
}

/**
 * Borrows the slots of a search. For each token and path length, `bestBounds` has `LABELS_PER_TOKEN` bounds of labels
 * in descending order. For each bound, `visitedHashes` has the hash of the visited tokens.
 *
 * @param touchedTokens - the caller adds every token whose slots it writes; these slots are cleared after the search
 */
function labelSlots({ graph }: Problem, pathLengths: number, touchedTokens: readonly number[]) {
  const { tokens, scratch } = graph.topology
  const size = pathLengths * LABELS_PER_TOKEN
  const wipe = (labels: Float64Array, blank: number) => {
    for (const token of touchedTokens) labels.fill(blank, token * size, (token + 1) * size)
  }
  return {
    bestBounds: scratch.negativeInfinities(tokens.length * size, (labels) => wipe(labels, Number.NEGATIVE_INFINITY)),
    visitedHashes: scratch.zeroFloats(tokens.length * size, (labels) => wipe(labels, 0)),
  }
}

/**
 * Inserts a bound into the descending bounds of a slot, and drops the lowest. If a bound with the same visited tokens
 * exists, it is replaced instead. Returns false, and changes nothing, if the bound to drop or replace is at least as
 * high as the new one.
 */
function insertBound(
  bounds: Float64Array,
  hashes: Float64Array,
  slot: number,
  bound: number,
  visitedHash: number,
): boolean {
  const lastSlot = slot + LABELS_PER_TOKEN - 1
  if (!(bound > bounds[lastSlot]!)) return false
  let k = slot
  while (k < lastSlot && hashes[k] !== visitedHash) k++
  if (hashes[k] === visitedHash && !(bound > bounds[k]!)) return false
  for (; k > slot && bounds[k - 1]! < bound; k--) {
    bounds[k] = bounds[k - 1]!
    hashes[k] = hashes[k - 1]!
  }
  bounds[k] = bound
  hashes[k] = visitedHash
  return true
}

/**
 * Hash of a token, below 2^32. Sums of a few hashes are exact in floats, and different sets of tokens practically never
 * have the same sum.
 */
function hashOfToken(token: number): number {
  let mixed = Math.imul(token + 1, 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** Output of a path less the cost of its legs; −∞ if a pool on it cannot take its input. */
function netOf(problem: Problem, path: readonly number[], quoter: EdgeQuoter): number {
  let amount = problem.amountIn
  let cost = 0
  for (const edge of path) {
    cost += legCost(problem, edge, amount)
    amount = quoter.output(edge, amount)
    if (!(amount > 0)) return Number.NEGATIVE_INFINITY
  }
  return amount - cost
}

function visits(label: Label, token: number): boolean {
  for (let ancestor: Label | null = label; ancestor; ancestor = ancestor.previous)
    if (ancestor.token === token) return true
  return false
}

function pathOf(end: Label): number[] {
  const edges: number[] = []
  for (let label: Label | null = end; label && label.edge >= 0; label = label.previous) edges.unshift(label.edge)
  return edges
}
