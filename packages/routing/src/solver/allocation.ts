/**
 * An allocation of a trade: tokens with prices, edges (pools in one direction), and the trade of each edge at these
 * prices. An edge trades until its marginal rate (output per input) equals the price of the sold token divided by the
 * price of the bought token. The dual is the value of the input plus the earnings of all edges, as a function of the
 * prices; it bounds the output. An allocation evaluates the dual at its prices, and `dual-solver.ts` minimizes the
 * dual.
 */
import type { Pool } from '@sluice/liquidity'
import { type CompiledCurve, type CurvePoint, tradeTo } from '../graph/price-curve.ts'
import type { SpotRates } from '../problem/potentials.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import { INITIAL_EDGE_CAPACITY, MIN_TOKENS_TO_SORT } from '../tolerances.ts'
import { SharedPool, tradingFunctionOf } from './shared-pools.ts'

/**
 * Trading mode of an edge: alone, or together with the other pairs of its multi-token pool. `IDLE_TOGETHER` means that
 * no trade of this pool earns anything at the current prices.
 */
const ALONE = 0
const IDLE_TOGETHER = 1
export const TRADING_TOGETHER = 2

/**
 * Content of an allocation, from which it can be restored. `logPrice` is indexed like the `tokens` of the checkpoint.
 */
export type Checkpoint = {
  readonly edges: readonly number[]
  readonly tokens: readonly number[]
  readonly logPrice: readonly number[]
}

/** An allocation. In its arrays, "by token" means: indexed by the token's number in the graph. */
export class Allocation {
  /**
   * Value of the dual at the prices of the last solution, in output base units: an upper bound on the output over the
   * edges of the allocation.
   */
  value = 0
  /**
   * Largest surplus or shortage of a token in the last solution, valued in the output token, as a fraction of `value`.
   */
  residual = Number.POSITIVE_INFINITY
  /**
   * Fraction of the trade's input that the edges do not take in the last solution, because their capacity is too small.
   */
  unsoldShare = 0
  /** Tokens of the allocation. The target is the first one and has the price 1. */
  tokens: number[] = []
  edges: number[] = []
  /** By token: natural logarithm of its price in output base units per base unit. */
  readonly logPrice: Float64Array
  /** By token: price as of the last evaluation. */
  readonly prices: Float64Array
  /** By token: its index in `tokens`; −1 if it is not part of the allocation. */
  readonly tokenIndex: Int32Array
  /** By edge: 1 if it is part of the allocation. */
  readonly hasEdge: Uint8Array
  /** By index in `edges`: base units sold and bought at the last evaluation. */
  input: Float64Array
  output: Float64Array
  readonly problem: Problem
  /** By index in `edges`: price curve. */
  curves: CompiledCurve[] = []
  /** By index in `edges`: tokens that the edge sells and buys. */
  soldTokens: Int32Array
  boughtTokens: Int32Array
  /** By index in `edges`: natural logarithm of the rate for the first unit. */
  logRate: Float64Array
  /** By index in `edges`: response of the input to the rate, −∂input / ∂ln rate, in base units. */
  conductance: Float64Array
  /** By index in `edges`: `ALONE`, `IDLE_TOGETHER`, or `TRADING_TOGETHER`. */
  tradingMode: Uint8Array
  /** Pools of more than two tokens with at least one pair in the allocation. */
  private readonly sharedPoolByPool = new Map<Pool, SharedPool>()
  /** Multi-token pools with more than one pair in the allocation. The pairs of such a pool trade together. */
  sharedPools: SharedPool[] = []
  private readonly point: CurvePoint = { input: 0, output: 0, conductance: 0 }

  constructor(problem: Problem) {
    const { tokens, from, scratch } = problem.graph.topology
    this.problem = problem
    problem.budget.spend(tokens.length / 4 + from.length / 64)
    this.logPrice = scratch.floats(tokens.length)
    this.prices = scratch.floats(tokens.length)
    this.tokenIndex = scratch.blankIndexArray(tokens.length, (indices) => {
      for (const token of this.tokens) indices[token] = -1
    })
    this.hasEdge = scratch.zeroBytes(from.length, (flags) => {
      for (const edge of this.edges) flags[edge] = 0
    })
    this.input = scratch.floats(INITIAL_EDGE_CAPACITY)
    this.output = scratch.floats(INITIAL_EDGE_CAPACITY)
    this.soldTokens = scratch.ints(INITIAL_EDGE_CAPACITY)
    this.boughtTokens = scratch.ints(INITIAL_EDGE_CAPACITY)
    this.logRate = scratch.floats(INITIAL_EDGE_CAPACITY)
    this.conductance = scratch.floats(INITIAL_EDGE_CAPACITY)
    this.tradingMode = scratch.bytes(INITIAL_EDGE_CAPACITY)
    this.addToken(problem.target, 0)
  }

  addToken(token: number, logPrice: number): void {
    if (this.tokenIndex[token]! >= 0) return
    this.tokenIndex[token] = this.tokens.length
    this.tokens.push(token)
    this.logPrice[token] = logPrice
  }

  /**
   * Adds the tokens at both ends of an edge.
   *
   * @param prices - initial prices of added tokens, in output base units, by token
   */
  addEnds(edge: number, prices: Float64Array): void {
    const { from, to } = this.problem.graph.topology
    const soldToken = from[edge]!
    const boughtToken = to[edge]!
    if (this.tokenIndex[soldToken]! < 0) this.addToken(soldToken, Math.log(prices[soldToken]!))
    if (this.tokenIndex[boughtToken]! < 0) this.addToken(boughtToken, Math.log(prices[boughtToken]!))
  }

  /**
   * Adds an edge. Its tokens must have been added before. Returns false if the edge is already present or must not be
   * used.
   */
  addEdge(edge: number): boolean {
    const { rate, graph } = this.problem
    if (this.hasEdge[edge] || rate[edge] === 0) return false
    const k = this.edges.length
    if (k === this.input.length) this.growArrays()
    this.hasEdge[edge] = 1
    this.edges.push(edge)
    this.curves.push(curveOf(this.problem, edge))
    this.soldTokens[k] = graph.topology.from[edge]!
    this.boughtTokens[k] = graph.topology.to[edge]!
    this.logRate[k] = Math.log(rate[edge]!)
    this.tradingMode[k] = ALONE
    if (this.problem.mayReusePools) this.addToSharedPool(edge, k)
    return true
  }

  private addToSharedPool(edge: number, index: number): void {
    const { pool } = this.problem.graph.edges[edge]!
    const tradingFunction = tradingFunctionOf(this.problem.graph, pool)
    if (!tradingFunction) return
    const sharedPool = this.sharedPoolByPool.get(pool) ?? new SharedPool(tradingFunction)
    this.sharedPoolByPool.set(pool, sharedPool)
    sharedPool.add(this.problem, edge, index)
    if (sharedPool.allocationIndices.length === 1) return
    if (sharedPool.allocationIndices.length === 2) this.sharedPools.push(sharedPool)
    for (const otherIndex of sharedPool.allocationIndices) this.tradingMode[otherIndex] = IDLE_TOGETHER
  }

  /** Removes edges, and then the tokens that are left without edges. */
  removeEdges(droppedEdges: ReadonlySet<number>): void {
    this.restore({ edges: this.edges.filter((edge) => !droppedEdges.has(edge)), tokens: this.tokens, logPrice: [] })
    this.dropIdleTokens()
  }

  /** Returns a copy of the allocation's content. */
  checkpoint(): Checkpoint {
    const { edges, tokens, logPrice } = this
    return { edges: [...edges], tokens: [...tokens], logPrice: tokens.map((token) => logPrice[token]!) }
  }

  /** Replaces the content. With an empty `logPrice`, tokens keep their prices. Does not evaluate the edges. */
  restore({ edges, tokens, logPrice }: Checkpoint): void {
    this.problem.budget.spend(4 * (edges.length + tokens.length) + 1)
    for (const edge of this.edges) this.hasEdge[edge] = 0
    for (const token of this.tokens) this.tokenIndex[token] = -1
    this.edges = []
    this.curves = []
    for (const pool of this.sharedPoolByPool.values()) pool.clear()
    this.sharedPools = []
    this.tokens = [...tokens]
    tokens.forEach((token, index) => {
      this.tokenIndex[token] = index
      if (logPrice.length > 0) this.logPrice[token] = logPrice[index]!
    })
    for (const edge of edges) this.addEdge(edge)
  }

  /** Price of a token as of the last evaluation, in output base units. */
  price(token: number): number {
    return this.prices[token]!
  }

  /** Computes the trade of every edge at the current prices. Returns the value of the dual. */
  evaluate(): number {
    const {
      problem,
      tokens,
      edges,
      curves,
      logPrice,
      prices,
      soldTokens,
      boughtTokens,
      point,
      input,
      output,
      conductance,
    } = this
    const { tradingMode, sharedPools } = this
    const { rate } = problem
    problem.budget.spend(2 * (edges.length + tokens.length))
    const hasSharedPools = sharedPools.length > 0
    for (let j = 0; j < tokens.length; j++) prices[tokens[j]!] = Math.exp(logPrice[tokens[j]!]!)
    let value = prices[problem.source]! * problem.amountIn
    for (let k = 0; k < edges.length; k++) {
      const priceIn = prices[soldTokens[k]!]!
      const priceOut = prices[boughtTokens[k]!]!
      if (hasSharedPools && tradingMode[k] !== ALONE) continue
      if (priceIn >= rate[edges[k]!]! * priceOut) {
        input[k] = output[k] = conductance[k] = 0
        continue
      }
      tradeTo(curves[k]!, priceIn / priceOut, point)
      input[k] = point.input
      output[k] = point.output
      conductance[k] = point.conductance
      value += point.output * priceOut - point.input * priceIn
    }
    return hasSharedPools ? value + this.evaluateShared() : value
  }

  /** Records the fraction of the input that is unsold at the current prices. */
  measureUnsold(): void {
    const { problem, edges, soldTokens, boughtTokens, input, output } = this
    const { source, amountIn } = problem
    let unsoldAmount = amountIn
    for (let k = 0; k < edges.length; k++) {
      if (soldTokens[k] === source) unsoldAmount -= input[k]!
      else if (boughtTokens[k] === source) unsoldAmount += output[k]!
    }
    this.unsoldShare = Math.max(0, unsoldAmount / amountIn)
  }

  /** Computes the trades of the pools in `sharedPools`. Returns their total earnings. */
  private evaluateShared(): number {
    const { problem, sharedPools, prices, input, output, conductance, tradingMode } = this
    let value = 0
    for (const pool of sharedPools) {
      const earnings = pool.tradeTo(prices, input, output)
      problem.budget.spend(pool.work)
      for (const k of pool.allocationIndices) {
        conductance[k] = 0
        tradingMode[k] = earnings > 0 ? TRADING_TOGETHER : IDLE_TOGETHER
      }
      value += earnings
    }
    return value
  }

  /** Orders tokens by their number of edges, hubs last, so that the matrix stays sparse during elimination. */
  putHubsLast(): void {
    const { edges, tokens, tokenIndex, problem } = this
    if (tokens.length < MIN_TOKENS_TO_SORT) return
    const { from, to } = problem.graph.topology
    const degree = new Uint32Array(tokens.length)
    for (const edge of edges) {
      degree[tokenIndex[from[edge]!]!]! += 1
      degree[tokenIndex[to[edge]!]!]! += 1
    }
    const order = [...tokens.keys()].slice(1).sort((a, b) => degree[a]! - degree[b]!)
    this.tokens = [tokens[0]!, ...order.map((index) => tokens[index]!)]
    this.tokens.forEach((token, index) => {
      tokenIndex[token] = index
    })
  }

  /** Removes tokens without edges, except the source and the target. */
  dropIdleTokens(): void {
    const { problem } = this
    const { from, to } = problem.graph.topology
    const usedTokens = new Set([problem.target, problem.source])
    for (const edge of this.edges) usedTokens.add(from[edge]!).add(to[edge]!)
    for (const token of this.tokens) this.tokenIndex[token] = -1
    this.tokens = this.tokens.filter((token) => usedTokens.has(token))
    this.tokens.forEach((token, index) => {
      this.tokenIndex[token] = index
    })
  }

  private growArrays(): void {
    const { scratch } = this.problem.graph.topology
    const capacity = this.input.length * 2
    const copyInto = <A extends Float64Array | Int32Array | Uint8Array>(from: A, to: A): A => {
      to.set(from)
      return to
    }
    const floats = (from: Float64Array) => copyInto(from, scratch.floats(capacity))
    this.input = floats(this.input)
    this.output = floats(this.output)
    this.soldTokens = copyInto(this.soldTokens, scratch.ints(capacity))
    this.boughtTokens = copyInto(this.boughtTokens, scratch.ints(capacity))
    this.logRate = floats(this.logRate)
    this.conductance = floats(this.conductance)
    this.tradingMode = copyInto(this.tradingMode, scratch.bytes(capacity))
  }
}

/** Returns an unsolved allocation over some edges. The initial price of a token is its best spot rate to the target. */
export function allocationOver(
  problem: Problem,
  edges: Iterable<number>,
  spotRates: Pick<SpotRates, 'maxRate'>,
): Allocation {
  const allocation = new Allocation(problem)
  // Adds the tokens at both ends of each edge: if the edges come from several allocations, a bought token may have no
  // outgoing edge.
  for (const edge of edges) allocation.addEnds(edge, spotRates.maxRate)
  for (const edge of edges) allocation.addEdge(edge)
  return allocation
}
