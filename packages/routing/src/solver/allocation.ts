/**
 * An allocation of a trade: tokens with prices, edges, and the trade of each edge at these prices. An edge trades until
 * its marginal rate equals the ratio of its two tokens' prices. Evaluates the dual at any prices; `dual-solver.ts`
 * minimizes it.
 */
import type { Pool } from '@sluice/liquidity'
import { type CompiledCurve, type CurvePoint, tradeTo } from '../graph/price-curve.ts'
import type { SpotRates } from '../problem/potentials.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import { FEW_TOKENS, INITIAL_EDGE_CAPACITY } from '../tolerances.ts'
import { SharedPool, tradingFunctionOf } from './shared-pools.ts'

/**
 * Trading mode of an edge: alone, or together with other pairs of its pool. Pairs that trade together either trade at
 * the current prices or are idle.
 */
const ALONE = 0
const IDLE_TOGETHER = 1
export const TRADING_TOGETHER = 2

export type Checkpoint = {
  readonly edges: readonly number[]
  readonly tokens: readonly number[]
  readonly logPrice: readonly number[]
}

export class Allocation {
  /** Value of the trade at the prices of the last solution, in output base units. */
  value = 0
  /** Largest surplus or shortage of a token in the last solution, as a fraction of `value`. */
  residual = Number.POSITIVE_INFINITY
  /** Fraction of the input that the edges cannot take in the last solution. Above 0 if their capacity is too small. */
  unsold = 0
  /** Tokens of the allocation. The target is the first one and has the price 1. */
  tokens: number[] = []
  edges: number[] = []
  /** Natural logarithm of the price, by token. */
  readonly logPrice: Float64Array
  /** Prices as of the last evaluation, by token. */
  readonly prices: Float64Array
  /** Index of a token in `tokens`; −1 if it is not part of the allocation. */
  readonly tokenIndex: Int32Array
  readonly hasEdge: Uint8Array
  /** By index in `edges`. */
  input: Float64Array
  output: Float64Array
  readonly problem: Problem
  curves: CompiledCurve[] = []
  sold: Int32Array
  bought: Int32Array
  logRate: Float64Array
  conductance: Float64Array
  tradingMode: Uint8Array
  /** Pools of several tokens with pairs in the allocation. */
  private readonly sharedPoolByPool = new Map<Pool, SharedPool>()
  /** Pools with more than one pair in the allocation; their pairs trade together. */
  sharedPools: SharedPool[] = []
  private readonly point: CurvePoint = { input: 0, output: 0, conductance: 0 }

  constructor(problem: Problem) {
    const { tokens, from, scratch } = problem.graph.topology
    this.problem = problem
    problem.budget.spend(tokens.length / 4 + from.length / 64)
    this.logPrice = scratch.floats(tokens.length)
    this.prices = scratch.floats(tokens.length)
    this.tokenIndex = scratch.noIndices(tokens.length, (place) => {
      for (const token of this.tokens) place[token] = -1
    })
    this.hasEdge = scratch.zeroBytes(from.length, (has) => {
      for (const edge of this.edges) has[edge] = 0
    })
    this.input = scratch.floats(INITIAL_EDGE_CAPACITY)
    this.output = scratch.floats(INITIAL_EDGE_CAPACITY)
    this.sold = scratch.ints(INITIAL_EDGE_CAPACITY)
    this.bought = scratch.ints(INITIAL_EDGE_CAPACITY)
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
    const sold = from[edge]!
    const bought = to[edge]!
    if (this.tokenIndex[sold]! < 0) this.addToken(sold, Math.log(prices[sold]!))
    if (this.tokenIndex[bought]! < 0) this.addToken(bought, Math.log(prices[bought]!))
  }

  /** Adds an edge, whose tokens must have been added. Returns false if it is already present or must not be used. */
  addEdge(edge: number): boolean {
    const { rate, graph } = this.problem
    if (this.hasEdge[edge] || rate[edge] === 0) return false
    const k = this.edges.length
    if (k === this.input.length) this.growArrays()
    this.hasEdge[edge] = 1
    this.edges.push(edge)
    this.curves.push(curveOf(this.problem, edge))
    this.sold[k] = graph.topology.from[edge]!
    this.bought[k] = graph.topology.to[edge]!
    this.logRate[k] = Math.log(rate[edge]!)
    this.tradingMode[k] = ALONE
    if (this.problem.mayReusePools) this.addToSharedPool(edge, k)
    return true
  }

  private addToSharedPool(edge: number, place: number): void {
    const { pool } = this.problem.graph.edges[edge]!
    const tradingFunction = tradingFunctionOf(this.problem.graph, pool)
    if (!tradingFunction) return
    const pairs = this.sharedPoolByPool.get(pool) ?? new SharedPool(tradingFunction)
    this.sharedPoolByPool.set(pool, pairs)
    pairs.add(this.problem, edge, place)
    if (pairs.indices.length === 1) return
    if (pairs.indices.length === 2) this.sharedPools.push(pairs)
    for (const other of pairs.indices) this.tradingMode[other] = IDLE_TOGETHER
  }

  removeEdges(droppedEdges: ReadonlySet<number>): void {
    this.restore({ edges: this.edges.filter((edge) => !droppedEdges.has(edge)), tokens: this.tokens, logPrice: [] })
    this.dropIdleTokens()
  }

  checkpoint(): Checkpoint {
    const { edges, tokens, logPrice } = this
    return { edges: [...edges], tokens: [...tokens], logPrice: tokens.map((token) => logPrice[token]!) }
  }

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

  /** Trades every edge at the current prices. Returns the value of the dual. */
  evaluate(): number {
    const { problem, tokens, edges, curves, logPrice, prices, sold, bought, point, input, output, conductance } = this
    const { tradingMode, sharedPools } = this
    const { rate } = problem
    problem.budget.spend(2 * (edges.length + tokens.length))
    const hasSharedPools = sharedPools.length > 0
    for (let j = 0; j < tokens.length; j++) prices[tokens[j]!] = Math.exp(logPrice[tokens[j]!]!)
    let value = prices[problem.source]! * problem.amountIn
    for (let k = 0; k < edges.length; k++) {
      const price = prices[sold[k]!]!
      const priceOut = prices[bought[k]!]!
      if (hasSharedPools && tradingMode[k] !== ALONE) continue
      if (price >= rate[edges[k]!]! * priceOut) {
        input[k] = output[k] = conductance[k] = 0
        continue
      }
      tradeTo(curves[k]!, price / priceOut, point)
      input[k] = point.input
      output[k] = point.output
      conductance[k] = point.conductance
      value += point.output * priceOut - point.input * price
    }
    return hasSharedPools ? value + this.evaluateShared() : value
  }

  /** Records the fraction of the input that is unsold at the current prices. */
  measureUnsold(): void {
    const { problem, edges, sold, bought, input, output } = this
    const { source, amountIn } = problem
    let unsoldAmount = amountIn
    for (let k = 0; k < edges.length; k++) {
      if (sold[k] === source) unsoldAmount -= input[k]!
      else if (bought[k] === source) unsoldAmount += output[k]!
    }
    this.unsold = Math.max(0, unsoldAmount / amountIn)
  }

  private evaluateShared(): number {
    const { problem, sharedPools, prices, input, output, conductance, tradingMode } = this
    let value = 0
    for (const pool of sharedPools) {
      const earned = pool.tradeTo(prices, input, output)
      problem.budget.spend(pool.work)
      for (const k of pool.indices) {
        conductance[k] = 0
        tradingMode[k] = earned > 0 ? TRADING_TOGETHER : IDLE_TOGETHER
      }
      value += earned
    }
    return value
  }

  /** Orders tokens by degree, so that the matrix stays sparse during elimination. */
  putHubsLast(): void {
    const { edges, tokens, tokenIndex, problem } = this
    if (tokens.length < FEW_TOKENS) return
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

  /** Removes tokens without edges. */
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
    const room = this.input.length * 2
    const copyInto = <A extends Float64Array | Int32Array | Uint8Array>(from: A, to: A): A => {
      to.set(from)
      return to
    }
    const floats = (from: Float64Array) => copyInto(from, scratch.floats(room))
    this.input = floats(this.input)
    this.output = floats(this.output)
    this.sold = copyInto(this.sold, scratch.ints(room))
    this.bought = copyInto(this.bought, scratch.ints(room))
    this.logRate = floats(this.logRate)
    this.conductance = floats(this.conductance)
    this.tradingMode = copyInto(this.tradingMode, scratch.bytes(room))
  }
}

/** Returns an allocation over some edges, with spot rates to the target as initial prices. */
export function allocationOver(
  problem: Problem,
  edges: Iterable<number>,
  backward: Pick<SpotRates, 'best'>,
): Allocation {
  const allocation = new Allocation(problem)
  // Adds both ends: edges combined from several allocations may lack the outgoing edges of a token.
  for (const edge of edges) allocation.addEnds(edge, backward.best)
  for (const edge of edges) allocation.addEdge(edge)
  return allocation
}
