/** What the edges of a division earn and cost, and what hangs on each. */
import { groupBy } from './flow.ts'
import type { Problem } from './problem.ts'
import { costAtBest } from './ticks.ts'
import type { WaterFilling } from './water-filling.ts'

/** Profit at the present prices and cost of every edge in use, in output base units. */
export function bookkeeping(problem: Problem, filling: WaterFilling) {
  const { from, to } = problem.graph.topology
  const books = new Map<number, { readonly profit: number; readonly cost: number }>()
  problem.budget.spend(8 * filling.edges.length + 1)
  filling.edges.forEach((edge, k) => {
    const input = filling.input[k]!
    if (!(input > 0)) return
    const output = filling.output[k]!
    const ends = { sold: filling.price(from[edge]!), bought: filling.price(to[edge]!) }
    const profit = output * ends.bought - input * ends.sold
    books.set(edge, { profit, cost: costAtBest(problem, edge, { input, output }, ends) })
  })
  return books
}

/** Edges in use, by the token that they buy and by the one that they sell. */
export type Ways = {
  readonly into: ReadonlyMap<number, readonly number[]>
  readonly outOf: ReadonlyMap<number, readonly number[]>
}

export function waysOf({ graph }: Problem, used: readonly number[]): Ways {
  const { from, to } = graph.topology
  return { into: groupBy(used, (edge) => to[edge]!), outOf: groupBy(used, (edge) => from[edge]!) }
}

/** The edge and all that its removal leaves without a way in or out; null where that is every way to the target. */
export function stranded(
  { source, target, graph, budget }: Problem,
  { into, outOf }: Ways,
  first: number,
): Set<number> | null {
  const { from, to } = graph.topology
  const gone = new Set([first])
  const queue = [first]
  const take = (edges: readonly number[]) => {
    for (const edge of edges) {
      if (gone.has(edge)) continue
      gone.add(edge)
      queue.push(edge)
    }
  }
  for (let edge = queue.pop(); edge !== undefined; edge = queue.pop()) {
    const u = from[edge]!
    const v = to[edge]!
    budget.spend(4 + (into.get(v)?.length ?? 0) + (outOf.get(u)?.length ?? 0))
    const noWayIn = (into.get(v) ?? []).every((other) => gone.has(other))
    const noWayOut = (outOf.get(u) ?? []).every((other) => gone.has(other))
    if ((noWayIn && v === target) || (noWayOut && u === source)) return null
    if (noWayIn) take(outOf.get(v) ?? [])
    if (noWayOut) take(into.get(u) ?? [])
  }
  return gone
}

/** Edges that nothing flows through. */
export function idleEdges(filling: WaterFilling): ReadonlySet<number> {
  return new Set(filling.edges.filter((_, k) => !(filling.input[k]! > 0)))
}
