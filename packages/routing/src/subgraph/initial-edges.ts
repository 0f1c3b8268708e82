/**
 * Selects edges (pools in one direction) for a subgraph by the tokens that they trade, not by prices. Selects two
 * kinds: the initial edges, which most divided trades use, and alternatives to edges in use. Called by
 * `select-subgraph.ts`.
 */
import type { Graph, TargetLabels } from '../graph/graph.ts'
import type { WorkBudget } from '../problem/budget.ts'
import type { Ends } from '../problem/passable.ts'
import { type Candidates, topEarningEdges } from './candidates.ts'
import { hubsOf } from './hubs.ts'
import {
  EDGES_BETWEEN_HUBS,
  EDGES_BETWEEN_NEIGHBORS,
  MAX_ALTERNATIVE_EDGES,
  MAX_SCANNED_EDGES,
  NEIGHBORS_PER_END,
} from './tolerances.ts'

/**
 * Returns edges between any two of some tokens. The rate of an edge may be below the ratio of the tokens' values by at
 * most the fraction `maxDisadvantage`.
 *
 * @param values - by token: value in output base units
 */
export function alternativesBetween(
  { topology, rate }: Graph,
  values: ReadonlyMap<number, number>,
  maxDisadvantage: number,
  budget: WorkBudget,
): readonly number[] {
  const { offset, from, to, reverse } = topology
  const hubs = hubsOf(topology)
  const edges = new Set<number>()
  const addIfClose = (edge: number) => {
    const [soldValue, boughtValue] = [values.get(from[edge]!), values.get(to[edge]!)]
    if (soldValue && boughtValue && rate[edge]! * boughtValue > soldValue * (1 - maxDisadvantage)) edges.add(edge)
  }
  budget.spend(hubs.edges.length)
  for (const edge of hubs.edges) addIfClose(edge)
  for (const token of values.keys()) {
    const [start, end] = [offset[token]!, offset[token + 1]!]
    if (end - start > MAX_SCANNED_EDGES) continue
    budget.spend(end - start)
    for (let edge = start; edge < end; edge++) {
      addIfClose(edge)
      addIfClose(reverse[edge]!)
    }
  }
  return [...edges].slice(0, MAX_ALTERNATIVE_EDGES)
}

/**
 * Returns edges of three kinds: the edges between the ends and their deepest neighbors, the deepest edges around these
 * neighbors, and the deepest edges between hubs. The edges around a neighbor lead to an end, another neighbor, or a
 * hub. Leaves out an end that has too many edges to scan.
 */
export function initialEdges(
  graph: Graph,
  { source, target }: Ends,
  { maxValue }: TargetLabels,
  budget: WorkBudget,
): readonly number[] {
  const { topology, conductance } = graph
  const { offset, from, to, reverse } = topology
  const hubs = hubsOf(topology)
  const degreeOf = (token: number) => offset[token + 1]! - offset[token]!
  // Depth in output base units at spot rates.
  const depthOf = (edge: number) => conductance[edge]! * maxValue[from[edge]!]!
  const endEdges: number[] = []
  const neighbors = new Set<number>()
  const addNeighbors = (end: number, edgeOf: (outgoingEdge: number) => number) => {
    if (degreeOf(end) > MAX_SCANNED_EDGES) return
    budget.spend(4 * degreeOf(end) + 1)
    const edges = Array.from({ length: degreeOf(end) }, (_, k) => edgeOf(offset[end]! + k))
    for (const edge of highestScoring(edges, depthOf, NEIGHBORS_PER_END)) {
      if (!(depthOf(edge) > 0)) continue
      endEdges.push(edge)
      neighbors.add(from[edge] === end ? to[edge]! : from[edge]!)
    }
  }
  addNeighbors(source, (outgoingEdge) => outgoingEdge)
  addNeighbors(target, (outgoingEdge) => reverse[outgoingEdge]!)
  const chosenTokens = new Set([source, target, ...hubs.tokens, ...neighbors])
  const nearbyEdges = new Set<number>()
  for (const token of neighbors) {
    if (degreeOf(token) > MAX_SCANNED_EDGES) continue
    budget.spend(degreeOf(token))
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++)
      if (chosenTokens.has(to[edge]!)) nearbyEdges.add(edge).add(reverse[edge]!)
  }
  const deepestEdges = (edges: readonly number[], max: number) => topEarningEdges(candidatesOf(edges, depthOf), max)
  budget.spend(hubs.edges.length + nearbyEdges.size)
  return [
    ...endEdges,
    ...deepestEdges([...nearbyEdges], EDGES_BETWEEN_NEIGHBORS),
    ...deepestEdges(hubs.edges, EDGES_BETWEEN_HUBS),
  ]
}

/** Returns the `max` edges with the highest scores, in descending order. Edges with equal scores keep their order. */
function highestScoring(edges: readonly number[], score: (edge: number) => number, max: number): readonly number[] {
  const chosenEdges: number[] = []
  const scores: number[] = []
  for (const edge of edges) {
    const edgeScore = score(edge)
    if (chosenEdges.length === max && !(edgeScore > scores[max - 1]!)) continue
    let index = Math.min(chosenEdges.length, max - 1)
    for (; index > 0 && edgeScore > scores[index - 1]!; index--) {
      chosenEdges[index] = chosenEdges[index - 1]!
      scores[index] = scores[index - 1]!
    }
    chosenEdges[index] = edge
    scores[index] = edgeScore
  }
  return chosenEdges
}

function candidatesOf(edges: readonly number[], score: (edge: number) => number): Candidates {
  return { edges: Int32Array.from(edges), earnings: Float64Array.from(edges, score) }
}
