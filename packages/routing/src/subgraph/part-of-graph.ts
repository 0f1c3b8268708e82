/** Builds a graph from some edges of another. */
import { groupBySource } from '../graph/build-graph.ts'
import { type Edge, Graph, type Topology } from '../graph/graph.ts'
import type { Scratch } from '../graph/scratch.ts'

/** A subgraph, with the whole graph's number of each token and edge. */
export type Subgraph = { readonly graph: Graph; readonly tokens: Int32Array; readonly edges: Int32Array }

/**
 * Builds the subgraph of some edges, their reverse edges, and all pairs of their multi-token pools, in the order of the
 * whole graph.
 *
 * @param ends - tokens that are always included
 */
export function partOfGraph(fullGraph: Graph, chosen: Iterable<number>, ends: readonly number[]): Subgraph {
  const { topology: wholeTopology, rate, rateBack, conductance, maxConductance } = fullGraph
  return wholeTopology.scratch.within(() => {
    const edges = withPairs(fullGraph, chosen)
    const tokens = joinedBy(fullGraph, edges, ends)
    const placeOfToken = placesOf(fullGraph, tokens, wholeTopology.tokens.length)
    const placeOfEdge = placesOf(fullGraph, edges, wholeTopology.from.length)
    const from = mapIndices(wholeTopology.from, edges, placeOfToken)
    const offset = new Int32Array(tokens.length + 1)
    for (const token of from) offset[token + 1]! += 1
    for (let token = 0; token < tokens.length; token++) offset[token + 1]! += offset[token]!
    const { edges: edgesOfWhole } = fullGraph
    const ownEdges = Array.from(edges, (edge) => edgesOfWhole[edge]!)
    const isWide = new Uint8Array(edges.length)
    for (let place = 0; place < edges.length; place++) isWide[place] = wholeTopology.isWide[edges[place]!]!
    let edgesOfPool: Topology['edgesOfPool'] | null = null
    const names = Array.from(tokens, (token) => wholeTopology.tokens[token]!)
    const topology: Topology = {
      tokens: names,
      tokenIndex: new Map(names.map((token, place) => [token, place])),
      offset,
      from,
      to: mapIndices(wholeTopology.to, edges, placeOfToken),
      reverse: mapIndices(wholeTopology.reverse, edges, placeOfEdge),
      // Computed on demand: few searches need it.
      get edgesOfPool() {
        edgesOfPool ??= groupByPool(ownEdges)
        return edgesOfPool
      },
      hasWidePools: isWide.includes(1),
      isWide,
      get poolsOfSource() {
        return groupBySource(ownEdges, this.edgesOfPool)
      },
      joined: null,
      scratch: wholeTopology.scratch.ofParts,
      tradingFunctions: wholeTopology.tradingFunctions,
      facts: {},
    }
    const arrays = {
      edges: ownEdges,
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
  for (const [place, { pool }] of edges.entries()) {
    const poolEdges = edgesOfPool.get(pool.id)
    if (poolEdges) poolEdges.push(place)
    else edgesOfPool.set(pool.id, [place])
  }
  return edgesOfPool
}

/** The edges, their reverse edges, and all pairs of multi-token pools, in order. */
function withPairs({ edges, topology }: Graph, chosen: Iterable<number>): Int32Array {
  const { from, reverse, edgesOfPool, isWide, scratch } = topology
  return distinct(scratch, from.length, (take) => {
    for (const edge of chosen) {
      // The pairs of a pool trade together: a trade of one moves the rates of the others.
      if (isWide[edge] === 1) for (const pair of edgesOfPool.get(edges[edge]!.pool.id)!) take(pair)
      else {
        take(edge)
        take(reverse[edge]!)
      }
    }
  })
}

/** The ends, and the tokens that these edges join, in order. */
function joinedBy({ topology }: Graph, edges: Int32Array, ends: readonly number[]): Int32Array {
  const { from, tokens, scratch } = topology
  return distinct(scratch, tokens.length, (take) => {
    for (const end of ends) take(end)
    for (let place = 0; place < edges.length; place++) take(from[edges[place]!]!)
  })
}

/** The distinct numbers below a limit, in ascending order. */
function distinct(scratch: Scratch, limit: number, takeAll: (take: (number: number) => void) => void): Int32Array {
  const numbers: number[] = []
  const isTaken = scratch.zeroBytes(limit, (array) => {
    for (const number of numbers) array[number] = 0
  })
  takeAll((number) => {
    if (isTaken[number] === 1) return
    isTaken[number] = 1
    numbers.push(number)
  })
  return new Int32Array(numbers).sort()
}

// Loops, since `from` of typed arrays uses iterators, which are several times slower.

function pickFloats(values: Float64Array, indices: Int32Array): Float64Array {
  const result = new Float64Array(indices.length)
  for (let place = 0; place < indices.length; place++) result[place] = values[indices[place]!]!
  return result
}

function mapIndices(numbers: Int32Array, indices: Int32Array, placeOf: Int32Array): Int32Array {
  const result = new Int32Array(indices.length)
  for (let place = 0; place < indices.length; place++) result[place] = placeOf[numbers[indices[place]!]!]!
  return result
}

function placesOf({ topology }: Graph, numbers: Int32Array, count: number): Int32Array {
  const places = topology.scratch.noPlaces(count, (array) => {
    for (const number of numbers) array[number] = -1
  })
  for (let place = 0; place < numbers.length; place++) places[numbers[place]!] = place
  return places
}
