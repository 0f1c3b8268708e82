/** The best path for the whole amount after its gas, by best-first search. */

import { capacityOf, outputOf } from '../graph/price-curve.ts'
import { type Potential, wayTo } from '../problem/potentials.ts'
import { costOf, curveOf, leastCost, leastLegCost, type Problem } from '../problem/problem.ts'
import { PATH_EDGES, PATH_LABELS, PATH_QUOTES, USUAL_HOPS } from '../tolerances.ts'
import { MaxHeap } from './max-heap.ts'

type Label = {
  /**
   * The most that the path can still pay: the amount so far at spot rates to the target, less its gas and that of the
   * legs to come.
   */
  readonly bound: number
  readonly token: number
  readonly amount: number
  readonly cost: number
  readonly hops: number
  /** Sum of random numbers of the tokens passed: equal for labels that have passed the same ones, in any order. */
  readonly passed: number
  readonly edge: number
  readonly before: Label | null
}

/** Output of an edge for an input, from its price curve or from the pool itself; 0 when the pool cannot take the input. */
export type EdgeOutput = {
  readonly of: (edge: number, amountIn: number) => number
  /** Edges asked at most, and the work of asking one. */
  readonly quotes: number
  readonly work: number
}

/** Bounds tighter than spot rates, by which most edges of a large graph are settled without a look at their pools. */
export type PathBounds = {
  /** The most that an edge pays for an input. */
  readonly output: (edge: number, amountIn: number) => number
  /** The most that its output brings at the target. */
  readonly worth: (edge: number, amountOut: number) => number
}

/** @param taken - how much of an input each pool must take */
export const onCurves = (problem: Problem, taken: 'all' | 'a part' = 'all'): EdgeOutput => ({
  of: (edge, amountIn) => {
    const curve = curveOf(problem, edge)
    return taken === 'all' && amountIn > capacityOf(curve) ? 0 : outputOf(curve, amountIn)
  },
  quotes: PATH_QUOTES,
  work: 10,
})

/**
 * Spot rates are better than any rate at size, so the first path that comes out of the queue at the target is the best;
 * nearly so, since of the ways to a token that are as long only the most promising few are followed: more than one, since where
 * pools disagree the best may pass by a token that is needed later, and no two by the same tokens, of which one is better in all.
 * Where the work runs out first, the best path found so far. Null where no path leads there, or none takes the amount.
 */
export function bestSinglePath(
  problem: Problem,
  backward: Potential,
  output = onCurves(problem),
  bounds?: PathBounds,
): readonly number[] | null {
  const { source, target, amountIn, maxHops, rate, graph, budget } = problem
  const { offset, to, tokens, scratch } = graph.topology
  const { best: valueBound, hops } = backward
  if (!(valueBound[source]! > 0)) return null
  const furthest = Math.min(maxHops, Math.max(USUAL_HOPS, hops[source]!))
  /** The least cost of every leg still to come. */
  const leastLeg = leastLegCost(problem)
  const queue = new MaxHeap<Label>()
  const lengths = furthest + 1
  /** By token and length, the bounds of the best labels, falling. */
  const touched: number[] = []
  const wipe = (labels: Float64Array, blank: number) => {
    for (const token of touched) labels.fill(blank, token * lengths * PATH_LABELS, (token + 1) * lengths * PATH_LABELS)
  }
  const reached = scratch.lowest(tokens.length * lengths * PATH_LABELS, (labels) =>
    wipe(labels, Number.NEGATIVE_INFINITY),
  )
  /** Sums of the tokens that those labels have passed. */
  const passing = scratch.zeroFloats(tokens.length * lengths * PATH_LABELS, (labels) => wipe(labels, 0))
  const first = wayTo(problem, backward, source, target)
  let bestNet = first ? netOf(problem, first, output) : Number.NEGATIVE_INFINITY
  let best = bestNet > Number.NEGATIVE_INFINITY ? first : null
  let quotes = 0
  let looks = 0
  const start = { token: source, amount: amountIn, cost: 0, hops: 0, passed: 0, edge: -1, before: null }
  queue.push({ ...start, bound: amountIn * valueBound[source]! - hops[source]! * leastLeg })
  for (
    let label = queue.pop();
    label && label.bound > bestNet && quotes < output.quotes && looks < PATH_EDGES;
    label = queue.pop()
  ) {
    looks += 1 + offset[label.token + 1]! - offset[label.token]!
    budget.spend(1 + offset[label.token + 1]! - offset[label.token]!)
    for (let edge = offset[label.token]!; edge < offset[label.token + 1]!; edge++) {
      const next = to[edge]!
      if (rate[edge] === 0 || label.hops + 1 + hops[next]! > furthest) continue
      // The cheap tests first: most edges fail them, without asking the pool.
      const ahead = hops[next]! * leastLeg
      const first = label.amount * rate[edge]! * valueBound[next]! - label.cost
      if (bounds) {
        if (!(first - leastLeg - ahead > bestNet)) continue
        const most = bounds.worth(edge, bounds.output(edge, label.amount))
        if (!(most - label.cost - leastLeg - ahead > bestNet)) continue
      }
      const place = (next * lengths + label.hops + 1) * PATH_LABELS
      const least = Math.max(bestNet, reached[place + PATH_LABELS - 1]!)
      if (!(first - leastLeg - ahead > least && first - leastCost(problem, edge) - ahead > least)) continue
      if (visits(label, next)) continue
      quotes++
      budget.spend(output.work)
      const amount = output.of(edge, label.amount)
      const cost = label.cost + costOf(problem, edge, label.amount)
      const worth = bounds ? bounds.worth(edge, amount) : amount * valueBound[next]!
      const bound = worth - cost - ahead
      if (!(amount > 0 && bound > least)) continue
      const passed = label.passed + markOf(next)
      // What takes no more legs may be bounded by no less; what takes more may be bounded by as much only by more.
      touched.push(next)
      let kept = insert(reached, passing, place, bound, passed)
      if (!kept) continue
      for (let k = place + PATH_LABELS; kept && k < (next + 1) * lengths * PATH_LABELS; k += PATH_LABELS)
        kept = insert(reached, passing, k, bound, passed)
      const reaching = { bound, token: next, amount, cost, hops: label.hops + 1, passed, edge, before: label }
      if (next === target) {
        best = unroll(reaching)
        bestNet = bound
      } else queue.push(reaching)
    }
  }
  return best
}

/**
 * Puts a bound among those of a place, which fall, in the place of one that has passed the same tokens; false where all of them,
 * or that one, are better.
 */
function insert(reached: Float64Array, passing: Float64Array, place: number, bound: number, passed: number): boolean {
  const end = place + PATH_LABELS - 1
  if (!(bound > reached[end]!)) return false
  let k = place
  while (k < end && passing[k] !== passed) k++
  if (passing[k] === passed && !(bound > reached[k]!)) return false
  for (; k > place && reached[k - 1]! < bound; k--) {
    reached[k] = reached[k - 1]!
    passing[k] = passing[k - 1]!
  }
  reached[k] = bound
  passing[k] = passed
  return true
}

/** A number below 2^32, as good as random: sums of a few are exact, and tell sets of tokens apart. */
function markOf(token: number): number {
  let mixed = Math.imul(token + 1, 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** Output of a path after the cost of its legs; −∞ when a pool on it cannot take what arrives. */
function netOf(problem: Problem, path: readonly number[], output: EdgeOutput): number {
  let amount = problem.amountIn
  let cost = 0
  for (const edge of path) {
    cost += costOf(problem, edge, amount)
    amount = output.of(edge, amount)
    if (!(amount > 0)) return Number.NEGATIVE_INFINITY
  }
  return amount - cost
}

function visits(label: Label, token: number): boolean {
  for (let at: Label | null = label; at; at = at.before) if (at.token === token) return true
  return false
}

function unroll(end: Label): number[] {
  const edges: number[] = []
  for (let at: Label | null = end; at && at.edge >= 0; at = at.before) edges.unshift(at.edge)
  return edges
}
