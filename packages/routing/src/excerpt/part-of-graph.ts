/** A few edges of a graph as a graph of their own. */
import { groupBySource } from '../graph/build-graph.ts'
import { type Edge, Graph, type Topology } from '../graph/graph.ts'
import type { Scratch } from '../graph/scratch.ts'

/** With the numbers that tokens and edges have in the whole. */
export type Part = { readonly graph: Graph; readonly tokens: Int32Array; readonly edges: Int32Array }

/**
 * The edges, each the other way round, and all pairs of their pools, with tokens and edges in the order that they have in the whole.
 *
 * @param ends - tokens that are in it whatever the edges
 */
export function partOfGraph(whole: Graph, chosen: Iterable<number>, ends: readonly number[]): Part {
  const { topology: all, rate, rateBack, conductance, mostConductance } = whole
  return all.scratch.within(() => {
    const edges = withPairs(whole, chosen)
    const tokens = joinedBy(whole, edges, ends)
    const placeOfToken = placesOf(whole, tokens, all.tokens.length)
    const placeOfEdge = placesOf(whole, edges, all.from.length)
    const from = placed(all.from, edges, placeOfToken)
    const offset = new Int32Array(tokens.length + 1)
    for (const token of from) offset[token + 1]! += 1
    for (let token = 0; token < tokens.length; token++) offset[token + 1]! += offset[token]!
    const { edges: edgesOfWhole } = whole
    const own = Array.from(edges, (edge) => edgesOfWhole[edge]!)
    const isWide = new Uint8Array(edges.length)
    for (let place = 0; place < edges.length; place++) isWide[place] = all.isWide[edges[place]!]!
    let ofPools: Topology['edgesOfPool'] | null = null
    const names = Array.from(tokens, (token) => all.tokens[token]!)
    const topology: Topology = {
      tokens: names,
      tokenIndex: new Map(names.map((token, place) => [token, place])),
      offset,
      from,
      to: placed(all.to, edges, placeOfToken),
      reverse: placed(all.reverse, edges, placeOfEdge),
      // Few searches ask for it.
      get edgesOfPool() {
        ofPools ??= groupByPool(own)
        return ofPools
      },
      hasWidePools: isWide.includes(1),
      isWide,
      get poolsOfSource() {
        return groupBySource(own, this.edgesOfPool)
      },
      joined: null,
      scratch: all.scratch.ofParts,
      tradingFunctions: all.tradingFunctions,
      facts: {},
    }
    const arrays = {
      edges: own,
      rate: picked(rate, edges),
      rateBack: picked(rateBack, edges),
      conductance: picked(conductance, edges),
      mostConductance: picked(mostConductance, edges),
    }
    return { graph: new Graph(whole.snapshot, topology, arrays, whole.leastGas), tokens, edges }
  })
}

function groupByPool(edges: readonly Edge[]): Topology['edgesOfPool'] {
  const ofPools = new Map<string, number[]>()
  for (const [place, { pool }] of edges.entries()) {
    const ofPool = ofPools.get(pool.id)
    if (ofPool) ofPool.push(place)
    else ofPools.set(pool.id, [place])
  }
  return ofPools
}

/** The edges, those the other way round, and all pairs of pools of several tokens, in order. */
function withPairs({ edges, topology }: Graph, chosen: Iterable<number>): Int32Array {
  const { from, reverse, edgesOfPool, isWide, scratch } = topology
  return distinct(scratch, from.length, (take) => {
    for (const edge of chosen) {
      // Pairs of one pool trade together: what one of them leaves moves the rates of the others.
      if (isWide[edge] === 1) for (const pair of edgesOfPool.get(edges[edge]!.pool.id)!) take(pair)
      else {
        take(edge)
        take(reverse[edge]!)
      }
    }
  })
}

/** The ends, and the tokens that edges of both directions lead from, in order. */
function joinedBy({ topology }: Graph, edges: Int32Array, ends: readonly number[]): Int32Array {
  const { from, tokens, scratch } = topology
  return distinct(scratch, tokens.length, (take) => {
    for (const end of ends) take(end)
    for (let place = 0; place < edges.length; place++) take(from[edges[place]!]!)
  })
}

/** The numbers below a limit that are taken, each once, in order. */
function distinct(scratch: Scratch, limit: number, takeAll: (take: (number: number) => void) => void): Int32Array {
  const all: number[] = []
  const taken = scratch.zeroBytes(limit, (array) => {
    for (const number of all) array[number] = 0
  })
  takeAll((number) => {
    if (taken[number] === 1) return
    taken[number] = 1
    all.push(number)
  })
  return new Int32Array(all).sort()
}

// Loops, since `from` of typed arrays goes by iterators, several times as slow.

function picked(values: Float64Array, at: Int32Array): Float64Array {
  const own = new Float64Array(at.length)
  for (let place = 0; place < at.length; place++) own[place] = values[at[place]!]!
  return own
}

function placed(numbers: Int32Array, at: Int32Array, placeOf: Int32Array): Int32Array {
  const own = new Int32Array(at.length)
  for (let place = 0; place < at.length; place++) own[place] = placeOf[numbers[at[place]!]!]!
  return own
}

function placesOf({ topology }: Graph, numbers: Int32Array, count: number): Int32Array {
  const places = topology.scratch.noPlaces(count, (array) => {
    for (const number of numbers) array[number] = -1
  })
  for (let place = 0; place < numbers.length; place++) places[numbers[place]!] = place
  return places
}
