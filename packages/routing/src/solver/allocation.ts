/**
 * An allocation of a trade: tokens with their prices, edges, and what each edge trades at those prices: until its marginal
 * rate equals the ratio of the prices at its ends. The value of the dual at any prices; `dual-solver.ts` finds the best
 * ones.
 */
import type { Pool } from '@sluice/liquidity'
import { type CompiledCurve, type Point, tradeTo } from '../graph/price-curve.ts'
import type { Potential } from '../problem/potentials.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import { FEW_TOKENS, ROOM_FOR_EDGES } from '../tolerances.ts'
import { SharedPool, tradingFunctionOf } from './shared-pools.ts'

/** Kinds of trade of an edge: alone, or with others of its pool, which at the present prices is idle or not. */
const ALONE = 0
const IDLE_TOGETHER = 1
export const TRADING_TOGETHER = 2

export type Checkpoint = {
  readonly edges: readonly number[]
  readonly tokens: readonly number[]
  readonly logPrice: readonly number[]
}

export class Allocation {
  /** The output by the prices, and the largest surplus or shortage of a token as a part of it: as last solved. */
  value = 0
  residual = Number.POSITIVE_INFINITY
  /** Part of the trade's input that the edges cannot take, as last solved: they have too little capacity where it is not about 0. */
  unsold = 0
  /** Tokens in the set; the target stands first and has the price 1. */
  tokens: number[] = []
  edges: number[] = []
  /** Natural logarithm of each token's price, by token. */
  readonly logPrice: Float64Array
  /** Prices as of the last evaluation, by token. */
  readonly prices: Float64Array
  /** Place of a token in `tokens`, −1 outside. */
  readonly place: Int32Array
  readonly has: Uint8Array
  /** By place in `edges`. */
  input: Float64Array
  output: Float64Array
  readonly problem: Problem
  curves: CompiledCurve[] = []
  sold: Int32Array
  bought: Int32Array
  logRate: Float64Array
  conductance: Float64Array
  together: Uint8Array
  /** Pools of several tokens with pairs in the set. */
  private readonly pools = new Map<Pool, SharedPool>()
  /** Those of them with several pairs in the set, which trade as one. */
  shared: SharedPool[] = []
  private readonly point: Point = { input: 0, output: 0, conductance: 0 }

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
    this.input = scratch.floats(ROOM_FOR_EDGES)
    this.output = scratch.floats(ROOM_FOR_EDGES)
    this.sold = scratch.ints(ROOM_FOR_EDGES)
    this.bought = scratch.ints(ROOM_FOR_EDGES)
    this.logRate = scratch.floats(ROOM_FOR_EDGES)
    this.conductance = scratch.floats(ROOM_FOR_EDGES)
    this.together = scratch.bytes(ROOM_FOR_EDGES)
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
   * @param prices - in output base units, by token: taken for those that are not in the set
   */
  addEnds(edge: number, prices: Float64Array): void {
    const { from, to } = this.problem.graph.topology
    const sold = from[edge]!
    const bought = to[edge]!
    if (this.place[sold]! < 0) this.addToken(sold, Math.log(prices[sold]!))
    if (this.place[bought]! < 0) this.addToken(bought, Math.log(prices[bought]!))
  }

  /** Both ends must be in the set. False where it is in already, or may not be used. */
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
    if (this.problem.reuse) this.share(edge, k)
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

  removeEdges(dropped: ReadonlySet<number>): void {
    this.restore({ edges: this.edges.filter((edge) => !dropped.has(edge)), tokens: this.tokens, logPrice: [] })
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

  /** Price of a token, in output base units, as of the last evaluation. */
  price(token: number): number {
    return this.prices[token]!
  }

  /** Trades every edge at the present prices and returns the dual's value. */
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

  /** Notes which part of the trade's input is left over at the present prices. */
  measureUnsold(): void {
    const { problem, edges, sold, bought, input, output } = this
    const { source, amountIn } = problem
    let left = amountIn
    for (let k = 0; k < edges.length; k++) {
      if (sold[k] === source) left -= input[k]!
      else if (bought[k] === source) left += output[k]!
    }
    this.unsold = Math.max(0, left / amountIn)
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

  /** Tokens of few edges first: the matrix then stays sparse while it is solved. */
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

  /** Forgets tokens that no edge touches any more. */
  dropIdleTokens(): void {
    const { problem } = this
    const { from, to } = problem.graph.topology
    const used = new Set([problem.target, problem.source])
    for (const edge of this.edges) used.add(from[edge]!).add(to[edge]!)
    for (const token of this.tokens) this.place[token] = -1
    this.tokens = this.tokens.filter((token) => used.has(token))
    this.tokens.forEach((token, index) => {
      this.place[token] = index
    })
  }

  private grow(): void {
    const { scratch } = this.problem.graph.topology
    const room = this.input.length * 2
    const moved = <A extends Float64Array | Int32Array | Uint8Array>(from: A, to: A): A => {
      to.set(from)
      return to
    }
    const floats = (from: Float64Array) => moved(from, scratch.floats(room))
    this.input = floats(this.input)
    this.output = floats(this.output)
    this.sold = moved(this.sold, scratch.ints(room))
    this.bought = moved(this.bought, scratch.ints(room))
    this.logRate = floats(this.logRate)
    this.conductance = floats(this.conductance)
    this.together = moved(this.together, scratch.bytes(room))
  }
}

/** An allocation over edges whose tokens begin at their spot rates to the target. */
export function allocationOver(problem: Problem, edges: Iterable<number>, backward: Potential): Allocation {
  const allocation = new Allocation(problem)
  // Both ends: what is put together of several allocations may lack the edges out of a token.
  for (const edge of edges) allocation.addEnds(edge, backward.best)
  for (const edge of edges) allocation.addEdge(edge)
  return allocation
}
