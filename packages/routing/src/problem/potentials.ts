/**
 * Best spot rates from all tokens to one token, the root: upper bounds on the rate of a trade of any size. An edge is a
 * pool in one direction.
 */

import { MIN_LABEL_GAIN } from '../tolerances.ts'
import { LabelQueue } from './label-correction.ts'
import type { Problem } from './problem.ts'

/** Best rates to the root, with the paths that have these rates. */
export type SpotRates = {
  /**
   * By token: the rate of the best path to the root, for the first unit. This is the highest product of edge rates on
   * paths of up to about `maxHops` edges; 0 if there is no path. If the root is the target, it is the value of one unit
   * of the token in output base units.
   */
  readonly maxRate: Float64Array
  /** By token: the first edge of its best path to the root; −1 for the root, and if there is no path. */
  readonly nextEdge: Int32Array
  /** By token: minimum number of edges to the root; 255 if there is no path. */
  readonly hops: Uint8Array
}

/** `hops` of a token without a path. */
const UNREACHED = 255

/** Computes the best spot rates. */
export function bestSpotRates(problem: Problem, root: number): SpotRates {
  const { graph, rateBack, maxHops, budget } = problem
  const { offset, to, reverse, tokens, scratch } = graph.topology
  const tokenCount = tokens.length
  const maxRate = scratch.floats(tokenCount, 0)
  const nextEdge = scratch.ints(tokenCount, -1)
  const hops = scratch.bytes(tokenCount, UNREACHED)
  maxRate[root] = 1
  hops[root] = 0
  const queue = new LabelQueue(tokenCount, scratch)
  queue.start([root], maxHops)
  for (let token = queue.next(); token >= 0; token = queue.next()) {
    const value = maxRate[token]!
    const end = offset[token + 1]!
    budget.spend(1 + end - offset[token]!)
    for (let edge = offset[token]!; edge < end; edge++) {
      const label = rateBack[edge]! * value
      const neighbor = to[edge]!
      if (!(label > maxRate[neighbor]! * (1 + MIN_LABEL_GAIN)) || neighbor === root) continue
      maxRate[neighbor] = label
      nextEdge[neighbor] = reverse[edge]!
      if (hops[neighbor] === UNREACHED) hops[neighbor] = queue.round
      queue.add(neighbor)
    }
  }
  queue.clear()
  return { maxRate, nextEdge, hops }
}

/** Minimum number of edges from the source to each token; 255 if there is no path of fewer than `maxHops` edges. */
export function distancesFrom(problem: Problem, source: number): Uint8Array {
  const { offset, tokens, scratch } = problem.graph.topology
  const distances = scratch.bytes(tokens.length, UNREACHED)
  distances[source] = 0
  let layer: readonly number[] = [source]
  let unreachedCount = tokens.length - 1
  for (let distance = 1; distance < problem.maxHops && layer.length > 0; distance++) {
    const edges = layer.reduce((sum, token) => sum + offset[token + 1]! - offset[token]!, 0)
    // If the layer contains hubs, scanning the unreached tokens is cheaper than scanning the edges of the layer.
    const findLayer = edges > tokens.length / 4 + 4 * unreachedCount ? reachBackward : reachForward
    layer = findLayer(problem, distances, layer, distance)
    unreachedCount -= layer.length
  }
  return distances
}

/** Finds the tokens at a distance from the source, records the distance, and returns them. */
type LayerSearch = (
  problem: Problem,
  distances: Uint8Array,
  layer: readonly number[],
  distance: number,
) => readonly number[]

/** Scans the outgoing edges of the previous layer. */
const reachForward: LayerSearch = ({ graph, rate, budget }, distances, layer, distance) => {
  const { offset, to } = graph.topology
  const nextLayer: number[] = []
  for (const token of layer) {
    budget.spend(1 + offset[token + 1]! - offset[token]!)
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
      const neighbor = to[edge]!
      if (distances[neighbor] !== UNREACHED || rate[edge] === 0) continue
      distances[neighbor] = distance
      nextLayer.push(neighbor)
    }
  }
  return nextLayer
}

/** Scans the edges of the unreached tokens. */
const reachBackward: LayerSearch = ({ graph, rateBack, budget }, distances, _, distance) => {
  const { offset, to, tokens } = graph.topology
  const nextLayer: number[] = []
  budget.spend(tokens.length / 4)
  for (let token = 0; token < tokens.length; token++) {
    if (distances[token] !== UNREACHED) continue
    const end = offset[token + 1]!
    let edge = offset[token]!
    while (edge < end && (rateBack[edge] === 0 || distances[to[edge]!] !== distance - 1)) edge++
    budget.spend(1 + edge - offset[token]!)
    if (edge === end) continue
    distances[token] = distance
    nextLayer.push(token)
  }
  return nextLayer
}

/**
 * Returns the edges of the best path from a token to the root, given the spot rates to the root. Null if the path
 * contains a cycle or is too long.
 */
export function pathTo(
  problem: Problem,
  { nextEdge }: SpotRates,
  start: number,
  root: number,
): readonly number[] | null {
  const { to } = problem.graph.topology
  const edges: number[] = []
  for (let token = start; token !== root; token = to[edges.at(-1)!]!) {
    const edge = nextEdge[token]!
    if (edge < 0 || edges.length >= problem.maxHops) return null
    edges.push(edge)
  }
  return edges
}
