/** The best path for the whole amount after its gas, by best-first search. */
import { type Potential, wayTo } from './potentials.ts'
import { costOf, leastCost, leastLegCost, type Problem, responseOf } from './problem.ts'
import { outputOf } from './response.ts'

/** Pools asked, and edges looked at, before the best path found so far has to do. */
const MAX_QUOTES = 6_000
const MAX_EDGES = 2_000_000
/** Longer paths are only looked for where shorter ones do not reach. */
const USUAL_HOPS = 4

type Label = {
  /** What the path can still pay at best: the amount so far at spot rates to the target, less its gas and that of the legs to come. */
  readonly hope: number
  readonly token: number
  readonly amount: number
  readonly cost: number
  readonly hops: number
  readonly edge: number
  readonly before: Label | null
}

/**
 * Spot rates are better than any rate at size, so the first path that comes out of the queue at the target is the best;
 * nearly so, since of several ways to a token only the most hopeful is followed. Where the work runs out first, the best
 * path found so far. Null where no path leads there.
 */
export function bestSinglePath(problem: Problem, backward: Potential): readonly number[] | null {
  const { source, target, amountIn, maxHops, rate, graph, budget } = problem
  const { offset, to, tokens, scratch } = graph.topology
  const { best: worth, hops } = backward
  if (!(worth[source]! > 0)) return null
  const furthest = Math.min(maxHops, Math.max(USUAL_HOPS, hops[source]!))
  /** What every leg still to come costs at least. */
  const leastLeg = leastLegCost(problem)
  const queue = new MaxHeap()
  const lengths = furthest + 1
  const reached = scratch.floats(tokens.length * lengths, Number.NEGATIVE_INFINITY)
  const first = wayTo(problem, backward, source, target)
  let best: readonly number[] | null = first
  let bestNet = first ? netOf(problem, first) : Number.NEGATIVE_INFINITY
  let quotes = 0
  let looks = 0
  const start = { token: source, amount: amountIn, cost: 0, hops: 0, edge: -1, before: null }
  queue.push({ ...start, hope: amountIn * worth[source]! - hops[source]! * leastLeg })
  for (
    let label = queue.pop();
    label && label.hope > bestNet && quotes < MAX_QUOTES && looks < MAX_EDGES;
    label = queue.pop()
  ) {
    looks += 1 + offset[label.token + 1]! - offset[label.token]!
    budget.spend(1 + offset[label.token + 1]! - offset[label.token]!)
    for (let edge = offset[label.token]!; edge < offset[label.token + 1]!; edge++) {
      const next = to[edge]!
      if (rate[edge] === 0 || label.hops + 1 + hops[next]! > furthest) continue
      const place = next * lengths + label.hops + 1
      const least = Math.max(bestNet, reached[place]!)
      // The cheap test first: most edges fail it, without asking the pool.
      const ahead = hops[next]! * leastLeg
      if (!(label.amount * rate[edge]! * worth[next]! - label.cost - leastCost(problem, edge) - ahead > least)) continue
      if (visits(label, next)) continue
      quotes++
      budget.spend(10)
      const amount = outputOf(responseOf(problem, edge), label.amount)
      const cost = label.cost + costOf(problem, edge, label.amount)
      const hope = amount * worth[next]! - cost - ahead
      if (!(amount > 0 && hope > least)) continue
      // What takes no more legs may hope for no less; what takes more may hope for as much only by more.
      for (let k = place; k < (next + 1) * lengths && reached[k]! < hope; k++) reached[k] = hope
      const reaching = { hope, token: next, amount, cost, hops: label.hops + 1, edge, before: label }
      if (next === target) {
        best = unroll(reaching)
        bestNet = hope
      } else queue.push(reaching)
    }
  }
  return best
}

function netOf(problem: Problem, path: readonly number[]): number {
  let amount = problem.amountIn
  let cost = 0
  for (const edge of path) {
    cost += costOf(problem, edge, amount)
    amount = outputOf(responseOf(problem, edge), amount)
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

/** A binary heap by `hope`. */
class MaxHeap {
  private readonly items: Label[] = []

  push(label: Label): void {
    const { items } = this
    let at = items.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (items[parent]!.hope >= label.hope) break
      items[at] = items[parent]!
      at = parent
    }
    items[at] = label
  }

  pop(): Label | undefined {
    const { items } = this
    const top = items[0]
    const last = items.pop()
    if (items.length === 0 || !last) return top
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= items.length) break
      if (child + 1 < items.length && items[child + 1]!.hope > items[child]!.hope) child++
      if (items[child]!.hope <= last.hope) break
      items[at] = items[child]!
      at = child
    }
    items[at] = last
    return top
  }
}
