/** The best path for the whole amount after its gas, by best-first search. */
import { FAR, type Potential } from './potentials.ts'
import { costOf, leastCost, type Problem, responseOf } from './problem.ts'
import { outputOf } from './response.ts'

/** Paths looked at before the best one found so far has to do. */
const MAX_EXPANSIONS = 3000

type Label = {
  /** What the path can still pay at best: the amount so far at spot rates to the target, less the gas so far. */
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
 * nearly so, since of several ways to a token only the most hopeful is followed. Null where no path leads there.
 */
export function bestSinglePath(problem: Problem, backward: Potential): readonly number[] | null {
  const { source, target, amountIn, maxHops, rate, graph } = problem
  const { offset, to } = graph.topology
  const worth = backward.best
  const queue = new MaxHeap()
  const reached = new Map<number, number>()
  queue.push({
    hope: amountIn * worth[source]!,
    token: source,
    amount: amountIn,
    cost: 0,
    hops: 0,
    edge: -1,
    before: null,
  })
  for (let expansion = 0; expansion < MAX_EXPANSIONS; expansion++) {
    const label = queue.pop()
    if (!label) return null
    if (label.token === target) return unroll(label)
    for (let edge = offset[label.token]!; edge < offset[label.token + 1]!; edge++) {
      const next = to[edge]!
      if (rate[edge] === 0 || backward.hops[next] === FAR) continue
      if (label.hops + 1 + backward.hops[next]! > maxHops) continue
      const best = reached.get(next) ?? Number.NEGATIVE_INFINITY
      // The cheap test first: most edges fail it, without asking the pool.
      if (label.amount * rate[edge]! * worth[next]! - label.cost - leastCost(problem, edge) <= best) continue
      if (visits(label, next)) continue
      const amount = outputOf(responseOf(problem, edge), label.amount)
      const cost = label.cost + costOf(problem, edge, label.amount)
      const hope = amount * worth[next]! - cost
      if (!(amount > 0) || hope <= best) continue
      reached.set(next, hope)
      queue.push({ hope, token: next, amount, cost, hops: label.hops + 1, edge, before: label })
    }
  }
  return null
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
