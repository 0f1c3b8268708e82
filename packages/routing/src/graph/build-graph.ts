/**
 * Compiles a snapshot of pools into a graph, reusing the pools that did not change. The nodes of the graph are tokens,
 * and each edge is a pool in one direction.
 */
import type { Address } from '@sluice/chains'
import {
  emptyCurve,
  familyOf,
  HOP_GAS,
  nullIfRefused,
  type Pool,
  poolChanges,
  type Snapshot,
  type TradingFunction,
  tokenGas,
  WRAPPER_FAMILY,
} from '@sluice/liquidity'
import type { Source } from '../sources.ts'
import { type Edge, Graph, type Topology } from './graph.ts'
import { compileCurve } from './price-curve.ts'
import { withRepeatedSwaps } from './repeated-swaps.ts'
import { Scratch } from './scratch.ts'

/** Gas figures that replace those measured on real pools, for example in a benchmark. */
export type GasTable = {
  /** Gas of one hop, by family id. */
  readonly hop: Readonly<Record<string, number>>
  /** Gas of each crossed tick. */
  readonly tick: number
}

/** Gas of a hop if its family has no entry in the gas table. */
const DEFAULT_HOP_GAS = 120_000

/**
 * Compiles a snapshot. With an earlier graph of the same chain, only changed pools are compiled again. The earlier
 * graph remains usable, since searches at its block may still be running.
 */
export function buildGraph(snapshot: Snapshot, previousGraph?: Graph, gas?: GasTable): Graph {
  if (!previousGraph) return compileGraph(snapshot, previousGraph, gas)
  const { changedPools, goneIds } = poolChanges(previousGraph.snapshot.pools, snapshot.pools)
  const hasSamePools = goneIds.length === 0 && changedPools.every(({ id }) => previousGraph.snapshot.pools.has(id))
  return hasSamePools
    ? updateGraph(previousGraph, snapshot, changedPools, gas)
    : compileGraph(snapshot, previousGraph, gas)
}

function updateGraph(previousGraph: Graph, snapshot: Snapshot, changedPools: readonly Pool[], gas?: GasTable): Graph {
  const { topology } = previousGraph
  const edges = new Map<number, Edge>()
  for (const pool of changedPools)
    for (const index of topology.edgesOfPool.get(pool.id) ?? []) {
      const { tokenIn, tokenOut } = previousGraph.edges[index]!
      edges.set(index, compileEdge(pool, tokenIn, tokenOut, gas))
    }
  return previousGraph.withEdges(edges, snapshot)
}

function compileGraph(snapshot: Snapshot, previousGraph?: Graph, gas?: GasTable): Graph {
  const unsortedEdges: Edge[] = []
  for (const [id, pool] of snapshot.pools) {
    const reusedEdges = previousGraph?.topology.edgesOfPool.get(id)?.map((index) => previousGraph.edges[index]!)
    if (reusedEdges?.[0]?.pool === pool) unsortedEdges.push(...reusedEdges)
    else unsortedEdges.push(...compilePool(pool, gas))
  }
  // The native token gets the number after its wrapper's number. The outgoing edges of the two are then adjacent, so
  // that the tokens can be joined into one.
  const [native, wrapped] = unsortedEdges.find(({ pool }) => pool.family === WRAPPER_FAMILY)?.pool.tokens ?? []
  const tokenIndex = new Map<Address, number>()
  for (const token of [wrapped, native]) if (token) tokenIndex.set(token, tokenIndex.size)
  for (const { tokenIn } of unsortedEdges) if (!tokenIndex.has(tokenIn)) tokenIndex.set(tokenIn, tokenIndex.size)

  const edgeCount = unsortedEdges.length
  const offset = new Int32Array(tokenIndex.size + 1)
  for (const { tokenIn } of unsortedEdges) offset[tokenIndex.get(tokenIn)! + 1]! += 1
  for (let token = 0; token < tokenIndex.size; token++) offset[token + 1]! += offset[token]!

  const nextIndexByToken = offset.slice()
  const edges = new Array<Edge>(edgeCount)
  const from = new Int32Array(edgeCount)
  const to = new Int32Array(edgeCount)
  const edgesOfPool = new Map<string, number[]>()
  for (const edge of unsortedEdges) {
    const soldToken = tokenIndex.get(edge.tokenIn)!
    const index = nextIndexByToken[soldToken]!
    nextIndexByToken[soldToken]! += 1
    edges[index] = edge
    from[index] = soldToken
    to[index] = tokenIndex.get(edge.tokenOut)!
    const poolEdges = edgesOfPool.get(edge.pool.id)
    if (poolEdges) poolEdges.push(index)
    else edgesOfPool.set(edge.pool.id, [index])
  }
  const reverse = new Int32Array(edgeCount)
  for (const poolEdges of edgesOfPool.values())
    for (const edge of poolEdges)
      reverse[edge] = poolEdges.find((other) => from[other] === to[edge] && to[other] === from[edge])!

  const isWide = Uint8Array.from(edges, ({ pool }) => (pool.tokens.length > 2 ? 1 : 0))
  const poolsOfSource = groupBySource(edges, edgesOfPool)
  const topologyBase = {
    tokens: [...tokenIndex.keys()],
    tokenIndex,
    offset,
    from,
    to,
    reverse,
    edgesOfPool,
    hasWidePools: isWide.includes(1),
    isWide,
    poolsOfSource,
    joined: null,
    scratch: new Scratch(),
    tradingFunctions: previousGraph?.topology.tradingFunctions ?? new WeakMap<Pool, TradingFunction | null>(),
    facts: {},
  }
  const topology = { ...topologyBase, joined: native ? withNextJoined(topologyBase, tokenIndex.get(wrapped!)!) : null }
  const minGas = edges.reduce((min, { gas }) => Math.min(min, gas), DEFAULT_HOP_GAS)
  return new Graph(snapshot, topology, edges, minGas)
}

/** Returns a topology in which a token and the token with the next number are one token. */
function withNextJoined(topology: Topology, token: number): Topology {
  const nextToken = token + 1
  const joinEnds = (ends: Int32Array) => ends.map((end) => (end === nextToken ? token : end))
  const offset = topology.offset.slice()
  offset[nextToken] = offset[nextToken + 1]!
  return { ...topology, offset, from: joinEnds(topology.from), to: joinEnds(topology.to), facts: {} }
}

/** Groups pool ids by family and DEX. */
export function groupBySource(edges: readonly Edge[], edgesOfPool: Topology['edgesOfPool']): Topology['poolsOfSource'] {
  const groupByKey = new Map<string, { readonly source: Source; readonly pools: string[] }>()
  for (const [id, [edge]] of edgesOfPool) {
    const { family, dex } = edges[edge!]!.pool
    const key = `${family} ${dex}`
    const group = groupByKey.get(key)
    if (group) group.pools.push(id)
    else groupByKey.set(key, { source: { family, dex }, pools: [id] })
  }
  return new Map(Array.from(groupByKey.values(), ({ source, pools }) => [source, pools]))
}

/**
 * Compiles the edges of both directions of every pair of the pool's tokens. Includes pairs without liquidity, since
 * they may get some in a later block.
 */
function compilePool(pool: Pool, gas?: GasTable): Edge[] {
  if (!familyOf(pool.family)) return []
  return pool.tokens.flatMap((tokenIn) =>
    pool.tokens.flatMap((tokenOut) => (tokenIn === tokenOut ? [] : compileEdge(pool, tokenIn, tokenOut, gas))),
  )
}

function compileEdge(pool: Pool, tokenIn: Address, tokenOut: Address, gasTable?: GasTable): Edge {
  const hopGas: Readonly<Record<string, number>> = gasTable?.hop ?? HOP_GAS
  // A pool whose arithmetic fails gets an empty curve, so that it does not affect the others.
  const singleSwapCurve =
    nullIfRefused(() => familyOf(pool.family)!.priceCurve(pool, tokenIn, tokenOut)) ?? emptyCurve(1)
  const priceCurve = withRepeatedSwaps(
    singleSwapCurve,
    pool,
    pool.tokens.indexOf(tokenIn),
    pool.tokens.indexOf(tokenOut),
  )
  const curve = compileCurve(
    gasTable && priceCurve.gasPerPiece ? { ...priceCurve, gasPerPiece: gasTable.tick } : priceCurve,
  )
  // The figures of a caller's gas table already contain the gas of tokens.
  const tokensGas = gasTable ? 0 : tokenGas(tokenIn) + tokenGas(tokenOut)
  return { pool, tokenIn, tokenOut, curve, gas: (hopGas[pool.family] ?? DEFAULT_HOP_GAS) + tokensGas, tokensGas }
}
