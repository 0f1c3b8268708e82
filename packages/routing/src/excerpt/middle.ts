/** The edges that a trade is sure to be divided over, if over any: between its ends, their deepest neighbours and the hubs. */
import type { Graph, TargetLabels } from '../graph/graph.ts'
import type { WorkBudget } from '../problem/budget.ts'
import type { Ends } from '../problem/passable.ts'
import { type Candidates, mostEarning } from './candidates.ts'
import { hubsOf } from './hubs.ts'
import { BETWEEN_HUBS, BETWEEN_NEIGHBOURS, MANY_EDGES, MOST_ALTERNATIVES, NEIGHBOURS } from './tolerances.ts'

/** Edges between any two of the tokens, each at most as far below its prices as a part. */
export function alternativesBetween(
  { topology, rate }: Graph,
  values: ReadonlyMap<number, number>,
  part: number,
  budget: WorkBudget,
): readonly number[] {
  const { offset, from, to, reverse } = topology
  const hubs = hubsOf(topology)
  const edges = new Set<number>()
  const take = (edge: number) => {
    const [sold, bought] = [values.get(from[edge]!), values.get(to[edge]!)]
    if (sold && bought && rate[edge]! * bought > sold * (1 - part)) edges.add(edge)
  }
  budget.spend(hubs.edges.length)
  for (const edge of hubs.edges) take(edge)
  for (const token of values.keys()) {
    const [start, end] = [offset[token]!, offset[token + 1]!]
    if (end - start > MANY_EDGES) continue
    budget.spend(end - start)
    for (let edge = start; edge < end; edge++) {
      take(edge)
      take(reverse[edge]!)
    }
  }
  return [...edges].slice(0, MOST_ALTERNATIVES)
}

/** Edges that ends of few pools have with their deepest neighbours, the deepest of those with others, and of the hubs. */
export function middleOf(
  graph: Graph,
  { source, target }: Ends,
  { best }: TargetLabels,
  budget: WorkBudget,
): readonly number[] {
  const { topology, conductance } = graph
  const { offset, from, to, reverse } = topology
  const hubs = hubsOf(topology)
  const degree = (token: number) => offset[token + 1]! - offset[token]!
  // Output base units at spot rates.
  const depthOf = (edge: number) => conductance[edge]! * best[from[edge]!]!
  const ofEnds: number[] = []
  const neighbours = new Set<number>()
  const takeEnd = (end: number, edgeOf: (out: number) => number) => {
    if (degree(end) > MANY_EDGES) return
    budget.spend(4 * degree(end) + 1)
    const edges = Array.from({ length: degree(end) }, (_, k) => edgeOf(offset[end]! + k))
    for (const edge of largest(edges, depthOf, NEIGHBOURS)) {
      if (!(depthOf(edge) > 0)) continue
      ofEnds.push(edge)
      neighbours.add(from[edge] === end ? to[edge]! : from[edge]!)
    }
  }
  takeEnd(source, (out) => out)
  takeEnd(target, (out) => reverse[out]!)
  const chosen = new Set([source, target, ...hubs.tokens, ...neighbours])
  const beside = new Set<number>()
  for (const token of neighbours) {
    if (degree(token) > MANY_EDGES) continue
    budget.spend(degree(token))
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++)
      if (chosen.has(to[edge]!)) beside.add(edge).add(reverse[edge]!)
  }
  const deepest = (edges: readonly number[], most: number) => mostEarning(ranked(edges, depthOf), most)
  budget.spend(hubs.edges.length + beside.size)
  return [...ofEnds, ...deepest([...beside], BETWEEN_NEIGHBOURS), ...deepest(hubs.edges, BETWEEN_HUBS)]
}

/** So many of largest value, the largest first; of those with the same, the first. */
function largest(edges: readonly number[], worth: (edge: number) => number, most: number): readonly number[] {
  const chosen: number[] = []
  const values: number[] = []
  for (const edge of edges) {
    const value = worth(edge)
    if (chosen.length === most && !(value > values[most - 1]!)) continue
    let at = Math.min(chosen.length, most - 1)
    for (; at > 0 && value > values[at - 1]!; at--) {
      chosen[at] = chosen[at - 1]!
      values[at] = values[at - 1]!
    }
    chosen[at] = edge
    values[at] = value
  }
  return chosen
}

function ranked(edges: readonly number[], worth: (edge: number) => number): Candidates {
  return { edges: Int32Array.from(edges), earnings: Float64Array.from(edges, worth) }
}
