/** Compiles a snapshot of pools into a graph, reusing the pools that did not change. */
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

/** Gas figures that replace those measured on real pools. */
export type GasTable = {
  /** By family id. */
  readonly hop: Readonly<Record<string, number>>
  readonly tick: number
}

/** Gas of a hop if the family has no figure. */
const USUAL_GAS = 120_000

/**
 * Compiles a snapshot. With an earlier graph of the same chain, only changed pools are compiled again. The earlier
 * graph stays valid, since quotes of its block may still be running.
 */
export function buildGraph(snapshot: Snapshot, previous?: Graph, gas?: GasTable): Graph {
  if (!previous) return compile(snapshot, previous, gas)
  const { changedPools: changed, goneIds: gone } = poolChanges(previous.snapshot.pools, snapshot.pools)
  const samePools = gone.length === 0 && changed.every(({ id }) => previous.snapshot.pools.has(id))
  return samePools ? update(previous, snapshot, changed, gas) : compile(snapshot, previous, gas)
}

function update(previous: Graph, snapshot: Snapshot, changed: readonly Pool[], gas?: GasTable): Graph {
  const { topology } = previous
  const edges = new Map<number, Edge>()
  for (const pool of changed)
    for (const index of topology.edgesOfPool.get(pool.id) ?? []) {
      const { tokenIn, tokenOut } = previous.edges[index]!
      edges.set(index, compileEdge(pool, tokenIn, tokenOut, gas))
    }
  return previous.with(edges, snapshot)
}

function compile(snapshot: Snapshot, previous?: Graph, gas?: GasTable): Graph {
  const unsorted: Edge[] = []
  for (const [id, pool] of snapshot.pools) {
    const reused = previous?.topology.edgesOfPool.get(id)?.map((index) => previous.edges[index]!)
    if (reused?.[0]?.pool === pool) unsorted.push(...reused)
    else unsorted.push(...compilePool(pool, gas))
  }
  // Number the native token next to its wrapper: their outgoing edges are then adjacent, and the two can be joined into one token.
  const [native, wrapped] = unsorted.find(({ pool }) => pool.family === WRAPPER_FAMILY)?.pool.tokens ?? []
  const tokenIndex = new Map<Address, number>()
  for (const token of [wrapped, native]) if (token) tokenIndex.set(token, tokenIndex.size)
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
    const poolEdges = edgesOfPool.get(edge.pool.id)
    if (poolEdges) poolEdges.push(index)
    else edgesOfPool.set(edge.pool.id, [index])
  }
  const reverse = new Int32Array(count)
  for (const poolEdges of edgesOfPool.values())
    for (const a of poolEdges) reverse[a] = poolEdges.find((b) => from[b] === to[a] && to[b] === from[a])!

  const isWide = Uint8Array.from(edges, ({ pool }) => (pool.tokens.length > 2 ? 1 : 0))
  const poolsOfSource = groupBySource(edges, edgesOfPool)
  const base = {
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
    tradingFunctions: previous?.topology.tradingFunctions ?? new WeakMap<Pool, TradingFunction | null>(),
    facts: {},
  }
  const topology = { ...base, joined: native ? withNextJoined(base, tokenIndex.get(wrapped!)!) : null }
  const minGas = edges.reduce((min, { gas }) => Math.min(min, gas), USUAL_GAS)
  return new Graph(snapshot, topology, edges, minGas)
}

/** Joins a token with the next one: a topology in which both are one token. */
function withNextJoined(topology: Topology, token: number): Topology {
  const next = token + 1
  const rename = (ends: Int32Array) => ends.map((end) => (end === next ? token : end))
  const offset = topology.offset.slice()
  offset[next] = offset[next + 1]!
  return { ...topology, offset, from: rename(topology.from), to: rename(topology.to), facts: {} }
}

/** Groups pool ids by family and DEX. */
export function groupBySource(edges: readonly Edge[], edgesOfPool: Topology['edgesOfPool']): Topology['poolsOfSource'] {
  const poolsOf = new Map<string, { readonly source: Source; readonly pools: string[] }>()
  for (const [id, [edge]] of edgesOfPool) {
    const { family, dex } = edges[edge!]!.pool
    const key = `${family} ${dex}`
    const group = poolsOf.get(key)
    if (group) group.pools.push(id)
    else poolsOf.set(key, { source: { family, dex }, pools: [id] })
  }
  return new Map(Array.from(poolsOf.values(), ({ source, pools }) => [source, pools]))
}

/** Edges for both directions of every pair of the pool's tokens. Includes empty pairs, since they may get liquidity later. */
function compilePool(pool: Pool, gas?: GasTable): Edge[] {
  if (!familyOf(pool.family)) return []
  return pool.tokens.flatMap((tokenIn) =>
    pool.tokens.flatMap((tokenOut) => (tokenIn === tokenOut ? [] : compileEdge(pool, tokenIn, tokenOut, gas))),
  )
}

function compileEdge(pool: Pool, tokenIn: Address, tokenOut: Address, table?: GasTable): Edge {
  const hop: Readonly<Record<string, number>> = table?.hop ?? HOP_GAS
  // An arithmetic failure of one pool must not affect the others.
  const oneSwap = nullIfRefused(() => familyOf(pool.family)!.priceCurve(pool, tokenIn, tokenOut)) ?? emptyCurve(1)
  const raw = withRepeatedSwaps(oneSwap, pool, pool.tokens.indexOf(tokenIn), pool.tokens.indexOf(tokenOut))
  const curve = compileCurve(table && raw.gasPerPiece ? { ...raw, gasPerPiece: table.tick } : raw)
  // A caller's gas table is complete; do not add gas of tokens to it.
  const tokensGas = table ? 0 : tokenGas(tokenIn) + tokenGas(tokenOut)
  return { pool, tokenIn, tokenOut, curve, gas: (hop[pool.family] ?? USUAL_GAS) + tokensGas, tokensGas }
}
