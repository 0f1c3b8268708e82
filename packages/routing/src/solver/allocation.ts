/**
 * An allocation of a trade: tokens with prices, edges, and the trade of each edge at these prices, which continues until its
 * marginal rate equals the ratio of the prices at its ends. Evaluates the dual at any prices; `dual-solver.ts` minimizes it.
 */
import type { Pool } from '@sluice/liquidity'
import { type CompiledCurve, type CurvePoint, tradeTo } from '../graph/price-curve.ts'
import type { SpotRates } from '../problem/potentials.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import { FEW_TOKENS, INITIAL_EDGE_CAPACITY } from '../tolerances.ts'
import { SharedPool, tradingFunctionOf } from './shared-pools.ts'

/**
 * Trading mode of an edge: alone, or together with other pairs of its pool, which either do not trade or do at the current prices.
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
  /** Value of the output at the prices, and the largest surplus or shortage of a token relative to it, as of the last solution. */
  value = 0
  residual = Number.POSITIVE_INFINITY
  /** Fraction of the input that the edges cannot take, as of the last solution. Clearly above 0 if their capacity is too small. */
  unsold = 0
  /** Tokens of the allocation. The target is the first one and has the price 1. */
  tokens: number[] = []
  edges: number[] = []
  /** Natural logarithm of the price, by token. */
  readonly logPrice: Float64Array
  /** Prices as of the last evaluation, by token. */
  readonly prices: Float64Array
  /** Index of a token in `tokens`; −1 if it is not part of the allocation. */
  readonly place: Int32Array
  readonly has: Uint8Array
  /** By index in `edges`. */
  input: Float64Array
  output: Float64Array
  readonly problem: Problem
  curves: CompiledCurve[] = []
  sold: Int32Array
  bought: Int32Array
  logRate: Float64Array
  conductance: Float64Array
  together: Uint8Array
  /** Pools of several tokens with pairs in the allocation. */
  private readonly pools = new Map<Pool, SharedPool>()
  /** Pools with more than one pair in the allocation; their pairs trade together. */
  shared: SharedPool[] = []
  private readonly point: CurvePoint = { input: 0, output: 0, conductance: 0 }

  constructor(problem: Problem) {
    const { tokens, from, scratch } = problem.graph.topology
    this.problem = problem
    problem.budget.spend(tokens.length / 4 + from.length / 64)
    this.logPrice = scratch.floats(tokens.length)
    this.prices = scratch.floats(tokens.length)
    this.place = scratch.noPlaces(tokens.length, (place) => {
      for (const token of this.tokens) place[token] = -1
    })
    this.has = scratch.zeroBytes(from.length, (has) => {
      for (const edge of this.edges) has[edge] = 0
    })
    this.input = scratch.floats(INITIAL_EDGE_CAPACITY)
    this.output = scratch.floats(INITIAL_EDGE_CAPACITY)
    this.sold = scratch.ints(INITIAL_EDGE_CAPACITY)
    this.bought = scratch.ints(INITIAL_EDGE_CAPACITY)
    this.logRate = scratch.floats(INITIAL_EDGE_CAPACITY)
    this.conductance = scratch.floats(INITIAL_EDGE_CAPACITY)
    this.together = scratch.bytes(INITIAL_EDGE_CAPACITY)
    this.addToken(problem.target, 0)
  }

  addToken(token: number, logPrice: number): void {
    if (this.place[token]! >= 0) return
    this.place[token] = this.tokens.length
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
    if (this.place[sold]! < 0) this.addToken(sold, Math.log(prices[sold]!))
    if (this.place[bought]! < 0) this.addToken(bought, Math.log(prices[bought]!))
  }

  /** Adds an edge, whose tokens must have been added. Returns false if it is already present or must not be used. */
  addEdge(edge: number): boolean {
    const { rate, graph } = this.problem
    if (this.has[edge] || rate[edge] === 0) return false
    const k = this.edges.length
    if (k === this.input.length) this.grow()
    this.has[edge] = 1
    this.edges.push(edge)
    this.curves.push(curveOf(this.problem, edge))
    this.sold[k] = graph.topology.from[edge]!
    this.bought[k] = graph.topology.to[edge]!
    this.logRate[k] = Math.log(rate[edge]!)
    this.together[k] = ALONE
    if (this.problem.mayReusePools) this.share(edge, k)
    return true
  }

  private share(edge: number, place: number): void {
    const { pool } = this.problem.graph.edges[edge]!
    const tradingFunction = tradingFunctionOf(this.problem.graph, pool)
    if (!tradingFunction) return
    const pairs = this.pools.get(pool) ?? new SharedPool(tradingFunction)
    this.pools.set(pool, pairs)
    pairs.add(this.problem, edge, place)
    if (pairs.places.length === 1) return
    if (pairs.places.length === 2) this.shared.push(pairs)
    for (const other of pairs.places) this.together[other] = IDLE_TOGETHER
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
    for (const edge of this.edges) this.has[edge] = 0
    for (const token of this.tokens) this.place[token] = -1
    this.edges = []
    this.curves = []
    for (const pool of this.pools.values()) pool.clear()
    this.shared = []
    this.tokens = [...tokens]
    tokens.forEach((token, index) => {
      this.place[token] = index
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
    const { together, shared } = this
    const { rate } = problem
    problem.budget.spend(2 * (edges.length + tokens.length))
    const sharing = shared.length > 0
    for (let j = 0; j < tokens.length; j++) prices[tokens[j]!] = Math.exp(logPrice[tokens[j]!]!)
    let value = prices[problem.source]! * problem.amountIn
    for (let k = 0; k < edges.length; k++) {
      const price = prices[sold[k]!]!
      const priceOut = prices[bought[k]!]!
      if (sharing && together[k] !== ALONE) continue
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
    return sharing ? value + this.evaluateShared() : value
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
    const { problem, shared, prices, input, output, conductance, together } = this
    let value = 0
    for (const pool of shared) {
      const earned = pool.tradeTo(prices, input, output)
      problem.budget.spend(pool.work)
      for (const k of pool.places) {
        conductance[k] = 0
        together[k] = earned > 0 ? TRADING_TOGETHER : IDLE_TOGETHER
      }
      value += earned
    }
    return value
  }

  /** Orders tokens by degree, so that the matrix stays sparse during elimination. */
  putHubsLast(): void {
    const { edges, tokens, place, problem } = this
    if (tokens.length < FEW_TOKENS) return
    const { from, to } = problem.graph.topology
    const degree = new Uint32Array(tokens.length)
    for (const edge of edges) {
      degree[place[from[edge]!]!]! += 1
      degree[place[to[edge]!]!]! += 1
    }
    const order = [...tokens.keys()].slice(1).sort((a, b) => degree[a]! - degree[b]!)
    this.tokens = [tokens[0]!, ...order.map((index) => tokens[index]!)]
    this.tokens.forEach((token, index) => {
      place[token] = index
    })
  }

  /** Removes tokens without edges. */
  dropIdleTokens(): void {
    const { problem } = this
    const { from, to } = problem.graph.topology
    const usedTokens = new Set([problem.target, problem.source])
    for (const edge of this.edges) usedTokens.add(from[edge]!).add(to[edge]!)
    for (const token of this.tokens) this.place[token] = -1
    this.tokens = this.tokens.filter((token) => usedTokens.has(token))
    this.tokens.forEach((token, index) => {
      this.place[token] = index
    })
  }

  private grow(): void {
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
    this.together = copyInto(this.together, scratch.bytes(room))
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
