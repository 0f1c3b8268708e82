/** The pools of one block as a graph over tokens, compiled for the search and shared by all quotes of that block. */
import type { Address } from '@sluice/chains'
import { familyOf, HOP_GAS, type Pool, poolChanges, type Snapshot } from '@sluice/liquidity'
import { compileResponse, firstConductance, firstRate, mostConductance, type Response } from './search/response.ts'
import { Scratch } from './search/scratch.ts'
import { type Source, WRAPPER_FAMILY } from './sources.ts'

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
  /** Whether some pool trades more than two tokens. */
  readonly hasWidePools: boolean
  /** Ids of the pools of each source. */
  readonly poolsOfSource: ReadonlyMap<Source, readonly string[]>
  /** The same with the native token and its wrapper as one, under the wrapper's number; null where nothing wraps. */
  readonly joined: Topology | null
  readonly scratch: Scratch
}

/** What changes from block to block, by edge. */
type EdgeArrays = {
  readonly edges: Edge[]
  /** Output per unit of a vanishing input; 0 where an edge has no liquidity. */
  readonly rate: Float64Array
  /** `rate` of the reverse edge: an edge's way back, side by side with the ways out of the same token. */
  readonly rateBack: Float64Array
  /** Input per part of price at no input, see `Point.conductance`. */
  readonly conductance: Float64Array
  /** The same at the deepest of the pool. */
  readonly mostConductance: Float64Array
}

/**
 * The pools of a block, never seen to change. Only the newest graph holds the arrays; one before it knows the edges that its
 * successor replaced, and copies the arrays should it be asked again (H. Baker, "Shallow binding makes functional arrays
 * fast", 1991). So a block costs what has changed in it, however large the graph is.
 */
export class Graph {
  readonly snapshot: Snapshot
  readonly topology: Topology
  /** Gas of the cheapest hop. */
  readonly leastGas: number
  private arrays: EdgeArrays | null
  private asJoined: Graph | null = null
  private successor: { readonly graph: Graph; readonly replaced: ReadonlyMap<number, Edge> } | null = null

  constructor(snapshot: Snapshot, topology: Topology, edges: Edge[] | EdgeArrays, leastGas: number) {
    this.snapshot = snapshot
    this.topology = topology
    this.arrays = Array.isArray(edges) ? arraysOf(edges, topology) : edges
    this.leastGas = leastGas
  }

  get edges(): readonly Edge[] {
    return (this.arrays ?? this.restore()).edges
  }

  get rate(): Float64Array {
    return (this.arrays ?? this.restore()).rate
  }

  get rateBack(): Float64Array {
    return (this.arrays ?? this.restore()).rateBack
  }

  get conductance(): Float64Array {
    return (this.arrays ?? this.restore()).conductance
  }

  get mostConductance(): Float64Array {
    return (this.arrays ?? this.restore()).mostConductance
  }

  /** The same pools with the native token and its wrapper as one. Good until a graph of a later block is made. */
  get joined(): Graph {
    const { joined } = this.topology
    if (!joined) return this
    this.asJoined ??= new Graph(this.snapshot, joined, this.arrays ?? this.restore(), this.leastGas)
    return this.asJoined
  }

  /** The graph of a later block, in which some edges are others. */
  with(changed: ReadonlyMap<number, Edge>, snapshot: Snapshot): Graph {
    const arrays = this.arrays ?? this.restore()
    const replaced = new Map([...changed.keys()].map((index) => [index, arrays.edges[index]!]))
    put(arrays, changed, this.topology)
    const graph = new Graph(snapshot, this.topology, arrays, this.leastGas)
    this.arrays = null
    this.asJoined = null
    this.successor = { graph, replaced }
    return graph
  }

  private restore(): EdgeArrays {
    const undone: ReadonlyMap<number, Edge>[] = []
    let owner: Graph = this
    for (let next = owner.successor; next; next = owner.successor) {
      undone.push(next.replaced)
      owner = next.graph
    }
    const { edges, rate, rateBack, conductance, mostConductance } = owner.arrays!
    const arrays = {
      edges: edges.slice(),
      rate: rate.slice(),
      rateBack: rateBack.slice(),
      conductance: conductance.slice(),
      mostConductance: mostConductance.slice(),
    }
    for (const replaced of undone.reverse()) put(arrays, replaced, this.topology)
    this.arrays = arrays
    this.successor = null
    return arrays
  }
}

function arraysOf(edges: Edge[], { reverse }: Topology): EdgeArrays {
  const rate = Float64Array.from(edges, ({ response }) => firstRate(response))
  const rateBack = Float64Array.from(reverse, (index) => rate[index]!)
  const conductance = Float64Array.from(edges, ({ response }) => firstConductance(response))
  const most = Float64Array.from(edges, ({ response }) => mostConductance(response))
  return { edges, rate, rateBack, conductance, mostConductance: most }
}

function put(arrays: EdgeArrays, changed: ReadonlyMap<number, Edge>, { reverse }: Topology): void {
  for (const [index, edge] of changed) {
    const rate = firstRate(edge.response)
    arrays.edges[index] = edge
    arrays.rate[index] = rate
    arrays.rateBack[reverse[index]!] = rate
    arrays.conductance[index] = firstConductance(edge.response)
    arrays.mostConductance[index] = mostConductance(edge.response)
  }
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
 * Compiles a snapshot; with an earlier graph of the same chain, only the pools that changed since. The graph before stays
 * what it is: quotes of its block may still be running.
 */
export function buildGraph(snapshot: Snapshot, previous?: Graph, gas?: GasTable): Graph {
  if (!previous) return compile(snapshot, previous, gas)
  const { changed, gone } = poolChanges(previous.snapshot.pools, snapshot.pools)
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
    const kept = previous?.topology.edgesOfPool.get(id)?.map((index) => previous.edges[index]!)
    if (kept?.[0]?.pool === pool) unsorted.push(...kept)
    else unsorted.push(...compilePool(pool, gas))
  }
  // The native token next to its wrapper: the edges out of either stand side by side, and out of both where they are joined.
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
    const ofPool = edgesOfPool.get(edge.pool.id)
    if (ofPool) ofPool.push(index)
    else edgesOfPool.set(edge.pool.id, [index])
  }
  const reverse = new Int32Array(count)
  for (const ofPool of edgesOfPool.values())
    for (const a of ofPool) reverse[a] = ofPool.find((b) => from[b] === to[a] && to[b] === from[a])!

  const hasWidePools = edges.some(({ pool }) => pool.tokens.length > 2)
  const poolsOfSource = groupBySource(edges, edgesOfPool)
  const apart = {
    tokens: [...tokenIndex.keys()],
    tokenIndex,
    offset,
    from,
    to,
    reverse,
    edgesOfPool,
    hasWidePools,
    poolsOfSource,
    joined: null,
    scratch: new Scratch(),
  }
  const topology = { ...apart, joined: native ? withNextJoined(apart, tokenIndex.get(wrapped!)!) : null }
  const leastGas = edges.reduce((least, { gas }) => Math.min(least, gas), USUAL_GAS)
  return new Graph(snapshot, topology, edges, leastGas)
}

/** A token and the one numbered next to it as one token. */
function withNextJoined(topology: Topology, token: number): Topology {
  const next = token + 1
  const rename = (ends: Int32Array) => ends.map((end) => (end === next ? token : end))
  const offset = topology.offset.slice()
  offset[next] = offset[next + 1]!
  return { ...topology, offset, from: rename(topology.from), to: rename(topology.to) }
}

function groupBySource(edges: readonly Edge[], edgesOfPool: Topology['edgesOfPool']): Topology['poolsOfSource'] {
  const poolsOf = new Map<string, { readonly source: Source; readonly pools: string[] }>()
  for (const [id, [edge]] of edgesOfPool) {
    const { family, dex } = edges[edge!]!.pool
    const key = `${family} ${dex}`
    const known = poolsOf.get(key)
    if (known) known.pools.push(id)
    else poolsOf.set(key, { source: { family, dex }, pools: [id] })
  }
  return new Map(Array.from(poolsOf.values(), ({ source, pools }) => [source, pools]))
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
