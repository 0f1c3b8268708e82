/** The pools of one block as a graph of tokens, compiled for the search and shared by all quotes of the block. */
import type { Address } from '@sluice/chains'
import type { Pool, Snapshot, TradingFunction, Trust } from '@sluice/liquidity'
import type { Source } from '../sources.ts'
import type { LearnedGas, MeasuredHop } from '../types.ts'
import { type CompiledCurve, firstConductance, firstRate, maxConductance } from './price-curve.ts'
import type { Scratch } from './scratch.ts'

/** One direction of one pool. */
export type Edge = {
  readonly pool: Pool
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly curve: CompiledCurve
  /** Gas of the hop for ranking, without tick crossings. */
  readonly gas: number
  /** Part of `gas` that the two tokens cause, not the pool. */
  readonly tokensGas: number
}

/** The tokens with the most edges. */
export type Hubs = {
  readonly tokens: readonly number[]
  /** Edges between two hubs. */
  readonly edges: readonly number[]
  /**
   * Edges between two tokens that are not hubs, in ascending order. There are few of them even in a graph of many
   * pools.
   */
  readonly outerEdges: Int32Array
}

/**
 * The part of a graph that stays the same from block to block while the set of pools is unchanged. Tokens and edges are
 * numbered; the arrays are indexed by these numbers.
 */
export type Topology = {
  readonly tokens: readonly Address[]
  readonly tokenIndex: ReadonlyMap<Address, number>
  /** Token t is sold by the edges `offset[t]` to `offset[t + 1] - 1`. */
  readonly offset: Int32Array
  readonly from: Int32Array
  readonly to: Int32Array
  /** By edge: the opposite direction of the same pool. */
  readonly reverse: Int32Array
  readonly edgesOfPool: ReadonlyMap<string, readonly number[]>
  /**
   * A pool is wide (or multi-token) if it has more than two tokens. `hasWidePools`: true if any pool is wide. `isWide`,
   * by edge: 1 if its pool is wide.
   */
  readonly hasWidePools: boolean
  readonly isWide: Uint8Array
  /** Pool ids by family and DEX. */
  readonly poolsOfSource: ReadonlyMap<Source, readonly string[]>
  /**
   * Topology in which the native token and its wrapper are one token, with the wrapper's number; null without a
   * wrapper.
   */
  readonly joined: Topology | null
  readonly scratch: Scratch
  /** Cached trading functions of pools with several tokens; null for pools without one. */
  readonly tradingFunctions: WeakMap<Pool, TradingFunction | null>
  /** Cached facts, computed by the first search that needs them. */
  readonly facts: { hubs?: Hubs }
}

/**
 * By edge: rate for the first unit, of the edge (`rate`) and of its reverse (`rateBack`); 0 if the edge must not be
 * used.
 */
export type Rates = { readonly rate: Float64Array; readonly rateBack: Float64Array }

/** Learned gas of edges. */
export type EdgeGas = {
  /** By edge: learned gas less the gas in the graph; may be negative. Empty if nothing was learned. */
  readonly extraGas: Float64Array
  /** By edge: measured gas of the hop, from which `extraGas` was computed. */
  readonly measuredHops: ReadonlyMap<number, MeasuredHop>
}

/** Upper bounds on token values for one target; see `subgraph/labels.ts`. */
export type TargetLabels = {
  /** By token: upper bound on the base units of the target that one base unit of the token can buy. */
  readonly maxValue: Float64Array
  /** By token: minimum number of edges to the target. */
  readonly hops: Uint8Array
  /**
   * By token with many edges: for each chunk of its outgoing edges, the maximum value of one unit that is sold through
   * an edge of the chunk. Computed on demand.
   */
  readonly chunkValuesByToken: Map<number, Float64Array>
}

/** The deepest outgoing edges of tokens. The depth of an edge is twice its `maxConductance`. */
export type DeepestExits = {
  /** By token: depth of the deepest outgoing edge, in base units of the token. */
  readonly maxDepth: Float64Array
  /** By token: the token that its deepest outgoing edge buys. */
  readonly deepestNeighbor: Int32Array
  /** By token: depth of its deepest outgoing edge that buys another token than `deepestNeighbor`. */
  readonly maxDepthElsewhere: Float64Array
}

/** Facts about a graph, cached by the first search that needs them. */
export type GraphFacts = {
  /** True if some pools disagree on a price by more than their fees; undefined until it is checked. */
  hasProfitableCycle?: boolean
  exits?: DeepestExits
  /** Rates of the edges that any route may pass through, by trust list. */
  readonly passableRates: WeakMap<Trust, Rates>
  /** Learned gas of hops in the middle of a route; see `problem/edge-gas.ts`. */
  readonly innerHopGas: WeakMap<LearnedGas, EdgeGas>
  /**
   * Price of the native token, in output base units per wei. The first key is the trust list (or this object if there
   * is none). The second key names the ERC-20 form of the native token, the target, and the gas cost.
   */
  readonly outputPerWei: WeakMap<object, Map<string, number>>
  /** Labels by trust list (or by this object if there is none), then by target and hop limit. */
  readonly targetLabels: WeakMap<object, Map<string, TargetLabels>>
}

/** The part of a graph that changes from block to block, by edge. */
type EdgeArrays = {
  readonly edges: Edge[]
  /** Output per unit of input for the first unit; 0 without liquidity. */
  readonly rate: Float64Array
  /** `rate` of the reverse edge. Stored by edge, so that a scan of a token's edges reads adjacent numbers. */
  readonly rateBack: Float64Array
  /** Conductance, −∂input / ∂ln rate, at zero input. */
  readonly conductance: Float64Array
  /** Conductance at zero input if the whole price curve had the liquidity of its deepest piece. */
  readonly maxConductance: Float64Array
}

/**
 * The pools of a block; logically immutable. The work for a new block depends only on its changes, because the newest
 * graph takes over the arrays. An older graph only records the edges that its successor replaced. If it is used again,
 * it copies the arrays of the newest graph and undoes the changes (H. Baker, "Shallow binding makes functional arrays
 * fast", 1991).
 */
export class Graph {
  readonly snapshot: Snapshot
  readonly topology: Topology
  /** Gas of the cheapest edge. */
  readonly minGas: number
  readonly facts: GraphFacts = {
    passableRates: new WeakMap(),
    outputPerWei: new WeakMap(),
    targetLabels: new WeakMap(),
    innerHopGas: new WeakMap(),
  }
  private arrays: EdgeArrays | null
  private joinedGraph: Graph | null = null
  private successor: { readonly graph: Graph; readonly oldEdges: ReadonlyMap<number, Edge> } | null = null

  constructor(snapshot: Snapshot, topology: Topology, edges: Edge[] | EdgeArrays, minGas: number) {
    this.snapshot = snapshot
    this.topology = topology
    this.arrays = Array.isArray(edges) ? arraysOf(edges, topology) : edges
    this.minGas = minGas
  }

  get edges(): readonly Edge[] {
    return (this.arrays ?? this.restoreArrays()).edges
  }

  get rate(): Float64Array {
    return (this.arrays ?? this.restoreArrays()).rate
  }

  get rateBack(): Float64Array {
    return (this.arrays ?? this.restoreArrays()).rateBack
  }

  get conductance(): Float64Array {
    return (this.arrays ?? this.restoreArrays()).conductance
  }

  get maxConductance(): Float64Array {
    return (this.arrays ?? this.restoreArrays()).maxConductance
  }

  /** Graph of the same pools with the native token and its wrapper joined. */
  get joined(): Graph {
    const { joined } = this.topology
    if (!joined) return this
    this.joinedGraph ??= new Graph(this.snapshot, joined, this.arrays ?? this.restoreArrays(), this.minGas)
    return this.joinedGraph
  }

  /** Creates the graph of a later block with some edges replaced, and transfers the arrays to it. */
  withEdges(newEdges: ReadonlyMap<number, Edge>, snapshot: Snapshot): Graph {
    const arrays = this.arrays ?? this.restoreArrays()
    const oldEdges = new Map([...newEdges.keys()].map((index) => [index, arrays.edges[index]!]))
    setEdges(arrays, newEdges, this.topology)
    const graph = new Graph(snapshot, this.topology, arrays, this.minGas)
    this.joinedGraph?.transferArrays(graph.joined, oldEdges)
    this.joinedGraph = null
    this.transferArrays(graph, oldEdges)
    return graph
  }

  /** Gives the arrays to a later graph, and records the edges of this graph that the later one replaced. */
  private transferArrays(graph: Graph, oldEdges: ReadonlyMap<number, Edge>): void {
    this.arrays = null
    this.successor = { graph, oldEdges }
  }

  private restoreArrays(): EdgeArrays {
    const edgeChanges: ReadonlyMap<number, Edge>[] = []
    let owner: Graph = this
    for (let successor = owner.successor; successor; successor = owner.successor) {
      edgeChanges.push(successor.oldEdges)
      owner = successor.graph
    }
    const { edges, rate, rateBack, conductance, maxConductance } = owner.arrays!
    const arrays = {
      edges: edges.slice(),
      rate: rate.slice(),
      rateBack: rateBack.slice(),
      conductance: conductance.slice(),
      maxConductance: maxConductance.slice(),
    }
    for (const oldEdges of edgeChanges.reverse()) setEdges(arrays, oldEdges, this.topology)
    this.arrays = arrays
    this.successor = null
    return arrays
  }
}

function arraysOf(edges: Edge[], { reverse }: Topology): EdgeArrays {
  const rate = Float64Array.from(edges, ({ curve }) => firstRate(curve))
  const rateBack = Float64Array.from(reverse, (index) => rate[index]!)
  const conductance = Float64Array.from(edges, ({ curve }) => firstConductance(curve))
  const maxConductances = Float64Array.from(edges, ({ curve }) => maxConductance(curve))
  return { edges, rate, rateBack, conductance, maxConductance: maxConductances }
}

function setEdges(arrays: EdgeArrays, newEdges: ReadonlyMap<number, Edge>, { reverse }: Topology): void {
  for (const [index, edge] of newEdges) {
    const rate = firstRate(edge.curve)
    arrays.edges[index] = edge
    arrays.rate[index] = rate
    arrays.rateBack[reverse[index]!] = rate
    arrays.conductance[index] = firstConductance(edge.curve)
    arrays.maxConductance[index] = maxConductance(edge.curve)
  }
}
