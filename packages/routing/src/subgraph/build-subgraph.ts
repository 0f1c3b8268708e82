/**
 * Builds a subgraph: a graph of some edges of a larger graph, called the whole graph. An edge is a pool in one
 * direction. A multi-token pool has more than two tokens. Called by `select-subgraph.ts`.
 */
import { groupBySource } from '../graph/build-graph.ts'
import { type Edge, Graph, type Topology } from '../graph/graph.ts'
import type { Scratch } from '../graph/scratch.ts'

/** A subgraph. `tokens` and `edges` map the numbers of its tokens and edges to their numbers in the whole graph. */
export type Subgraph = { readonly graph: Graph; readonly tokens: Int32Array; readonly edges: Int32Array }

/**
 * Builds the subgraph of some edges, their reverse edges, and all pairs of their multi-token pools. Tokens and edges
 * keep the order that they have in the whole graph.
 *
 * @param ends - tokens that are always included
 */
export function subgraphOf(fullGraph: Graph, chosenEdges: Iterable<number>, ends: readonly number[]): Subgraph {
  const { topology: fullTopology, rate, rateBack, conductance, maxConductance } = fullGraph
  return fullTopology.scratch.within(() => {
    const edges = withReversesAndPairs(fullGraph, chosenEdges)
    const tokens = tokensOf(fullGraph, edges, ends)
    const indexOfToken = indicesOf(fullGraph, tokens, fullTopology.tokens.length)
    const indexOfEdge = indicesOf(fullGraph, edges, fullTopology.from.length)
    const from = mapIndices(fullTopology.from, edges, indexOfToken)
    const offset = new Int32Array(tokens.length + 1)
    for (const token of from) offset[token + 1]! += 1
    for (let token = 0; token < tokens.length; token++) offset[token + 1]! += offset[token]!
    const { edges: fullEdges } = fullGraph
    const subgraphEdges = Array.from(edges, (edge) => fullEdges[edge]!)
    const isWide = new Uint8Array(edges.length)
    for (let index = 0; index < edges.length; index++) isWide[index] = fullTopology.isWide[edges[index]!]!
    let edgesOfPool: Topology['edgesOfPool'] | null = null
    const addresses = Array.from(tokens, (token) => fullTopology.tokens[token]!)
    const topology: Topology = {
      tokens: addresses,
      tokenIndex: new Map(addresses.map((token, index) => [token, index])),
      offset,
      from,
      to: mapIndices(fullTopology.to, edges, indexOfToken),
      reverse: mapIndices(fullTopology.reverse, edges, indexOfEdge),
      // Computed on demand: few searches need it.
      get edgesOfPool() {
        edgesOfPool ??= groupByPool(subgraphEdges)
        return edgesOfPool
      },
      hasWidePools: isWide.includes(1),
      isWide,
      get poolsOfSource() {
        return groupBySource(subgraphEdges, this.edgesOfPool)
      },
      joined: null,
      scratch: fullTopology.scratch.forSubgraphs,
      tradingFunctions: fullTopology.tradingFunctions,
      facts: {},
    }
    const arrays = {
      edges: subgraphEdges,
      rate: pickFloats(rate, edges),
      rateBack: pickFloats(rateBack, edges),
      conductance: pickFloats(conductance, edges),
      maxConductance: pickFloats(maxConductance, edges),
    }
    return { graph: new Graph(fullGraph.snapshot, topology, arrays, fullGraph.minGas), tokens, edges }
  })
}

function groupByPool(edges: readonly Edge[]): Topology['edgesOfPool'] {
  const edgesOfPool = new Map<string, number[]>()
  for (const [index, { pool }] of edges.entries()) {
    const poolEdges = edgesOfPool.get(pool.id)
    if (poolEdges) poolEdges.push(index)
    else edgesOfPool.set(pool.id, [index])
  }
  return edgesOfPool
}

/** Returns the edges, their reverse edges, and all pairs of their multi-token pools, in ascending order. */
function withReversesAndPairs({ edges, topology }: Graph, chosenEdges: Iterable<number>): Int32Array {
  const { from, reverse, edgesOfPool, isWide, scratch } = topology
  return distinct(scratch, from.length, (add) => {
    for (const edge of chosenEdges) {
      // All pairs of a multi-token pool are included, because a trade of one pair moves the rates of the others.
      if (isWide[edge] === 1) for (const pair of edgesOfPool.get(edges[edge]!.pool.id)!) add(pair)
      else {
        add(edge)
        add(reverse[edge]!)
      }
    }
  })
}

/** Returns the ends, and the tokens of these edges, in ascending order. */
function tokensOf({ topology }: Graph, edges: Int32Array, ends: readonly number[]): Int32Array {
  const { from, tokens, scratch } = topology
  return distinct(scratch, tokens.length, (add) => {
    for (const end of ends) add(end)
    for (let k = 0; k < edges.length; k++) add(from[edges[k]!]!)
  })
}

/** The distinct numbers below a limit, in ascending order. */
function distinct(scratch: Scratch, limit: number, addAll: (add: (number: number) => void) => void): Int32Array {
  const numbers: number[] = []
  const isAdded = scratch.zeroBytes(limit, (array) => {
    for (const number of numbers) array[number] = 0
  })
  addAll((number) => {
    if (isAdded[number] === 1) return
    isAdded[number] = 1
    numbers.push(number)
  })
  return new Int32Array(numbers).sort()
}

// The functions below use plain loops, because `Int32Array.from` uses iterators, which are several times slower.

/** Returns the values at some indices. */
function pickFloats(values: Float64Array, indices: Int32Array): Float64Array {
  const result = new Float64Array(indices.length)
  for (let k = 0; k < indices.length; k++) result[k] = values[indices[k]!]!
  return result
}

/** Returns the numbers at some indices, mapped by `indexOf`. */
function mapIndices(numbers: Int32Array, indices: Int32Array, indexOf: Int32Array): Int32Array {
  const result = new Int32Array(indices.length)
  for (let k = 0; k < indices.length; k++) result[k] = indexOf[numbers[indices[k]!]!]!
  return result
}

/** Returns the index of each number in `numbers`, by number; −1 for absent numbers. */
function indicesOf({ topology }: Graph, numbers: Int32Array, count: number): Int32Array {
  const indices = topology.scratch.blankIndexArray(count, (array) => {
    for (const number of numbers) array[number] = -1
  })
  for (let index = 0; index < numbers.length; index++) indices[numbers[index]!] = index
  return indices
}
