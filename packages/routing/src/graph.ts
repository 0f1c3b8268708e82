/** The pools of one block as a graph over tokens, compiled for the search and shared by all quotes of that block. */
import type { Address } from '@sluice/chains'
import { familyOf, HOP_GAS, type Pool, type Snapshot } from '@sluice/liquidity'
import { compileResponse, firstConductance, firstRate, type Response } from './search/response.ts'

/** One direction through one pool. */
export type Edge = {
  readonly pool: Pool
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly response: Response
  /** Gas of the hop for ranking, before ticks crossed. */
  readonly gas: number
}

/** What stays the same from block to block as long as no pool is added: tokens and edges by number. */
export type Topology = {
  readonly tokens: readonly Address[]
  readonly tokenIndex: ReadonlyMap<Address, number>
  /** Edges that sell token t are those from `offset[t]` to `offset[t + 1]`. */
  readonly offset: Int32Array
  readonly from: Int32Array
  readonly to: Int32Array
  /** The same pool in the other direction. */
  readonly reverse: Int32Array
  readonly edgesOfPool: ReadonlyMap<string, readonly number[]>
}

export type Graph = {
  readonly snapshot: Snapshot
  readonly topology: Topology
  readonly edges: readonly Edge[]
  /** Output per unit of a vanishing input; 0 where an edge has no liquidity. */
  readonly rate: Float64Array
  /** `rate` of the reverse edge: an edge's way back, side by side with the ways out of the same token. */
  readonly rateBack: Float64Array
  /** Input per part of price at no input, see `Point.conductance`. */
  readonly conductance: Float64Array
  /** Gas of the cheapest hop. */
  readonly leastGas: number
}

/** What hops cost, where they are to be ranked by other figures than those measured on real pools. */
export type GasTable = {
  /** By family. */
  readonly hop: Readonly<Record<string, number>>
  readonly tick: number
}

/** Gas of a hop whose family has no figure of its own. */
const USUAL_GAS = 120_000

/**
 * Compiles a snapshot; with the graph of the snapshot right before it, only the pools that changed. The graph before stays
 * as it is: quotes of its block may still be running.
 */
export function buildGraph(snapshot: Snapshot, previous?: Graph, gas?: GasTable): Graph {
  const { changed, pools } = snapshot
  const known = previous?.topology.edgesOfPool
  const samePools = known && changed && known.size === pools.size && changed.every((id) => known.has(id))
  return samePools ? update(previous, snapshot, changed, gas) : compile(snapshot, previous, gas)
}

function update(previous: Graph, snapshot: Snapshot, changed: readonly string[], gas?: GasTable): Graph {
  const { topology } = previous
  const edges = previous.edges.slice()
  const rate = previous.rate.slice()
  const rateBack = previous.rateBack.slice()
  const conductance = previous.conductance.slice()
  for (const id of changed) {
    const pool = snapshot.pools.get(id)!
    for (const index of topology.edgesOfPool.get(id)!) {
      const { tokenIn, tokenOut } = edges[index]!
      const edge = compileEdge(pool, tokenIn, tokenOut, gas)
      edges[index] = edge
      rate[index] = firstRate(edge.response)
      rateBack[topology.reverse[index]!] = rate[index]!
      conductance[index] = firstConductance(edge.response)
    }
  }
  return { snapshot, topology, edges, rate, rateBack, conductance, leastGas: previous.leastGas }
}

function compile(snapshot: Snapshot, previous?: Graph, gas?: GasTable): Graph {
  const unsorted: Edge[] = []
  for (const [id, pool] of snapshot.pools) {
    const kept = previous?.topology.edgesOfPool.get(id)?.map((index) => previous.edges[index]!)
    if (kept?.[0]?.pool === pool) unsorted.push(...kept)
    else unsorted.push(...compilePool(pool, gas))
  }
  const tokenIndex = new Map<Address, number>()
  for (const { tokenIn } of unsorted) if (!tokenIndex.has(tokenIn)) tokenIndex.set(tokenIn, tokenIndex.size)

  const count = unsorted.length
  const offset = new Int32Array(tokenIndex.size + 1)
  for (const { tokenIn } of unsorted) offset[tokenIndex.get(tokenIn)! + 1]! += 1
  for (let token = 0; token < tokenIndex.size; token++) offset[token + 1]! += offset[token]!

  const next = offset.slice()
  const edges = new Array<Edge>(count)
  const from = new Int32Array(count)
  const to = new Int32Array(count)
  const edgesOfPool = new Map<string, number[]>()
  for (const edge of unsorted) {
    const source = tokenIndex.get(edge.tokenIn)!
    const index = next[source]!
    next[source]! += 1
    edges[index] = edge
    from[index] = source
    to[index] = tokenIndex.get(edge.tokenOut)!
    const ofPool = edgesOfPool.get(edge.pool.id)
    if (ofPool) ofPool.push(index)
    else edgesOfPool.set(edge.pool.id, [index])
  }
  const reverse = new Int32Array(count)
  for (const ofPool of edgesOfPool.values())
    for (const a of ofPool) reverse[a] = ofPool.find((b) => from[b] === to[a] && to[b] === from[a])!

  const rate = Float64Array.from(edges, ({ response }) => firstRate(response))
  const rateBack = Float64Array.from(reverse, (index) => rate[index]!)
  const conductance = Float64Array.from(edges, ({ response }) => firstConductance(response))
  const tokens = [...tokenIndex.keys()]
  const topology = { tokens, tokenIndex, offset, from, to, reverse, edgesOfPool }
  const leastGas = edges.reduce((least, { gas }) => Math.min(least, gas), USUAL_GAS)
  return { snapshot, topology, edges, rate, rateBack, conductance, leastGas }
}

/** Both directions of every pair of the pool's tokens, empty ones included: their pool may fill. */
function compilePool(pool: Pool, gas?: GasTable): Edge[] {
  if (!familyOf(pool.family)) return []
  return pool.tokens.flatMap((tokenIn) =>
    pool.tokens.flatMap((tokenOut) => (tokenIn === tokenOut ? [] : compileEdge(pool, tokenIn, tokenOut, gas))),
  )
}

function compileEdge(pool: Pool, tokenIn: Address, tokenOut: Address, table?: GasTable): Edge {
  const hop: Readonly<Record<string, number>> = table?.hop ?? HOP_GAS
  const curve = familyOf(pool.family)!.curve(pool, tokenIn, tokenOut)
  const response = compileResponse(table && curve.gasPerPiece ? { ...curve, gasPerPiece: table.tick } : curve)
  return { pool, tokenIn, tokenOut, response, gas: hop[pool.family] ?? USUAL_GAS }
}
