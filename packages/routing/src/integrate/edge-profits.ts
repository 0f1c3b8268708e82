/** Profit and cost of the edges of an allocation, and what hangs on each. */

import type { Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { groupBy } from '../solver/flow.ts'
import { costAtBest } from './ticks.ts'

/** Profit at the present prices and cost of every edge in use, in output base units. */
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
    profits.set(edge, { profit, cost: costAtBest(problem, edge, { input, output }, ends) })
  })
  return profits
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

/** True of an edge on which nothing hangs, which most are: there are others at both its ends. */
export function standsAlone({ graph, budget }: Problem, { into, outOf }: Ways, edge: number): boolean {
  const { from, to } = graph.topology
  const beside = into.get(to[edge]!) ?? []
  const others = outOf.get(from[edge]!) ?? []
  const isOther = (other: number) => other !== edge
  if (!beside.some(isOther) || !others.some(isOther)) return false
  budget.spend(4 + beside.length + others.length)
  return true
}

/** The edge and all that its removal leaves without a way in or out; null where that is every way to the target. */
export function stranded(problem: Problem, ways: Ways, first: number): readonly number[] | null {
  if (standsAlone(problem, ways, first)) return [first]
  const { source, target, graph, budget } = problem
  const { into, outOf } = ways
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
  return [...gone]
}

/** Edges that nothing flows through. */
export function idleEdges(allocation: Allocation): ReadonlySet<number> {
  return new Set(allocation.edges.filter((_, k) => !(allocation.input[k]! > 0)))
}
