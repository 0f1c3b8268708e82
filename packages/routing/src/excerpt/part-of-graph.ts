/** A few edges of a graph as a graph of their own. */
import { groupBySource } from '../graph/build-graph.ts'
import { Graph, type Topology } from '../graph/graph.ts'
import { Scratch } from '../graph/scratch.ts'

/** With the numbers that tokens and edges have in the whole. */
export type Part = { readonly graph: Graph; readonly tokens: Int32Array; readonly edges: Int32Array }

/**
 * The edges, each the other way round, and all pairs of their pools, with tokens and edges in the order that they have in the whole.
 *
 * @param ends - tokens that are in it whatever the edges
 */
export function partOfGraph(whole: Graph, chosen: Iterable<number>, ends: readonly number[]): Part {
  const all = whole.topology
  const both = new Set<number>()
  for (const edge of chosen) {
    const { pool } = whole.edges[edge]!
    // Pairs of one pool trade together: what one of them leaves moves the rates of the others.
    if (pool.tokens.length > 2) for (const pair of all.edgesOfPool.get(pool.id)!) both.add(pair)
    else both.add(edge).add(all.reverse[edge]!)
  }
  const edges = Int32Array.from(both).sort()
  const ofTokens = new Set(ends)
  for (const edge of edges) ofTokens.add(all.from[edge]!)
  const tokens = Int32Array.from(ofTokens).sort()
  return all.scratch.within(() => {
    const placeOfToken = placesOf(whole, tokens, all.tokens.length)
    const placeOfEdge = placesOf(whole, edges, all.from.length)
    const own = Array.from(edges, (edge) => whole.edges[edge]!)
    const pick = (values: Float64Array) => Float64Array.from(edges, (edge) => values[edge]!)
    const offset = new Int32Array(tokens.length + 1)
    const from = Int32Array.from(edges, (edge) => placeOfToken[all.from[edge]!]!)
    for (const token of from) offset[token + 1]! += 1
    for (let token = 0; token < tokens.length; token++) offset[token + 1]! += offset[token]!
    const edgesOfPool = new Map<string, number[]>()
    for (const [place, { pool }] of own.entries()) {
      const ofPool = edgesOfPool.get(pool.id)
      if (ofPool) ofPool.push(place)
      else edgesOfPool.set(pool.id, [place])
    }
    const names = Array.from(tokens, (token) => all.tokens[token]!)
    const topology: Topology = {
      tokens: names,
      tokenIndex: new Map(names.map((token, place) => [token, place])),
      offset,
      from,
      to: Int32Array.from(edges, (edge) => placeOfToken[all.to[edge]!]!),
      reverse: Int32Array.from(edges, (edge) => placeOfEdge[all.reverse[edge]!]!),
      edgesOfPool,
      hasWidePools: own.some(({ pool }) => pool.tokens.length > 2),
      get poolsOfSource() {
        return groupBySource(own, edgesOfPool)
      },
      joined: null,
      scratch: new Scratch(),
      tradingFunctions: all.tradingFunctions,
      facts: {},
    }
    const arrays = {
      edges: own,
      rate: pick(whole.rate),
      rateBack: pick(whole.rateBack),
      conductance: pick(whole.conductance),
      mostConductance: pick(whole.mostConductance),
    }
    return { graph: new Graph(whole.snapshot, topology, arrays, whole.leastGas), tokens, edges }
  })
}

function placesOf({ topology }: Graph, numbers: Int32Array, count: number): Int32Array {
  const places = topology.scratch.noPlaces(count, (array) => {
    for (const number of numbers) array[number] = -1
  })
  for (const [place, number] of numbers.entries()) places[number] = place
  return places
}
