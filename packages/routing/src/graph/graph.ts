/** The pools of one block as a graph over tokens, compiled for the search and shared by all quotes of that block. */
import type { Address } from '@sluice/chains'
import type { Pool, Snapshot, TradingFunction, Trust } from '@sluice/liquidity'
import type { Source } from '../sources.ts'
import { type CompiledCurve, firstConductance, firstRate, mostConductance } from './price-curve.ts'
import type { Scratch } from './scratch.ts'

/** One direction through one pool. */
export type Edge = {
  readonly pool: Pool
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly curve: CompiledCurve
  /** Gas of the hop for ranking, before ticks crossed. */
  readonly gas: number
  /** Gas in it that is of its tokens, and not of the pool. */
  readonly tokensGas: number
}

/** The tokens of the most edges. */
export type Hubs = {
  readonly tokens: readonly number[]
  /** Edges between two of them. */
  readonly edges: readonly number[]
  /** Edges between two others, in order: of many pools few, since most are of a hub. */
  readonly others: Int32Array
}

/**
 * The part of a graph that stays the same from block to block as long as no pool is added: tokens and edges by number.
 */
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
  /** True where some pool trades more than two tokens; and 1 for each edge of such a pool. */
  readonly hasWidePools: boolean
  readonly isWide: Uint8Array
  /** Ids of the pools of each source. */
  readonly poolsOfSource: ReadonlyMap<Source, readonly string[]>
  /** The same with the native token and its wrapper as one, under the wrapper's number; null where nothing wraps. */
  readonly joined: Topology | null
  readonly scratch: Scratch
  /** Trading functions of pools of several tokens, as they are asked for; null of pools that have none. */
  readonly tradingFunctions: WeakMap<Pool, TradingFunction | null>
  /** Facts that the first search in need of them finds out for all. */
  readonly facts: { hubs?: Hubs }
}

/** First rates of all edges: 0 where an edge may not be used. */
export type Rates = { readonly rate: Float64Array; readonly rateBack: Float64Array }

/** Bounds on what tokens bring at spot rates, see `excerpt/labels.ts`. */
export type TargetLabels = {
  readonly best: Float64Array
  readonly hops: Uint8Array
  /** The most that the first unit brings by any of so many edges in turn; of tokens of many edges, as they are looked at. */
  readonly blocks: Map<number, Float64Array>
}

/** Depths of the deepest edges out of each token, in its base units, see `excerpt/best-path.ts`. */
export type Exits = {
  readonly deepest: Float64Array
  /** The token that it leads to. */
  readonly to: Int32Array
  /** The same of those that lead to other tokens. */
  readonly second: Float64Array
}

/** Facts of a graph that the first search in need of them finds out for all. */
export type GraphFacts = {
  /** True where some of its pools disagree on a price by more than their fees. */
  gainsInCycle?: boolean
  exits?: Exits
  /** Rates of the edges that any route may pass through, by what is trusted. */
  readonly passable: WeakMap<Trust, Rates>
  /**
   * Output base units for a wei, by what is trusted (the facts themselves where all is), target and what a swap costs.
   */
  readonly worthOfWei: WeakMap<object, Map<string, number>>
  /** By what is trusted, as above, and by target and hops. */
  readonly targetLabels: WeakMap<object, Map<string, TargetLabels>>
}

/** The part of a graph that changes from block to block, by edge. */
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
  readonly facts: GraphFacts = { passable: new WeakMap(), worthOfWei: new WeakMap(), targetLabels: new WeakMap() }
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

  /** The same pools with the native token and its wrapper as one. */
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
    this.asJoined?.giveWay(graph.joined, replaced)
    this.asJoined = null
    this.giveWay(graph, replaced)
    return graph
  }

  /** Leaves the arrays to a later graph, in which some edges are others. */
  private giveWay(graph: Graph, replaced: ReadonlyMap<number, Edge>): void {
    this.arrays = null
    this.successor = { graph, replaced }
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
  const rate = Float64Array.from(edges, ({ curve }) => firstRate(curve))
  const rateBack = Float64Array.from(reverse, (index) => rate[index]!)
  const conductance = Float64Array.from(edges, ({ curve }) => firstConductance(curve))
  const most = Float64Array.from(edges, ({ curve }) => mostConductance(curve))
  return { edges, rate, rateBack, conductance, mostConductance: most }
}

function put(arrays: EdgeArrays, changed: ReadonlyMap<number, Edge>, { reverse }: Topology): void {
  for (const [index, edge] of changed) {
    const rate = firstRate(edge.curve)
    arrays.edges[index] = edge
    arrays.rate[index] = rate
    arrays.rateBack[reverse[index]!] = rate
    arrays.conductance[index] = firstConductance(edge.curve)
    arrays.mostConductance[index] = mostConductance(edge.curve)
  }
}
