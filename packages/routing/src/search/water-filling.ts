/**
 * The best division of a trade over a chosen set of edges. Every token has a price in the output token; every edge trades
 * until its marginal rate equals the ratio of the prices at its ends. The prices at which no token is left over or short are
 * those that minimise a convex function (the dual), which Newton's method finds: its Hessian is that of a network of
 * resistors, with the edges' conductances.
 *
 * The same function, taken over all edges, bounds what any route can pay: see certificate.ts.
 */

import type { Pool } from '@sluice/liquidity'
import { solveSymmetric } from './linear.ts'
import { type Problem, responseOf } from './problem.ts'
import { endOf, type Point, type Response, respond } from './response.ts'
import { roomFor } from './scratch.ts'
import { SharedPool, surfaceOf } from './shared-pools.ts'

/** Newton steps and step halvings at most. */
const MAX_STEPS = 60
const MAX_HALVINGS = 30
/** Steps in a row that gain less than this part: where an arbitrage dwarfs the trade, rounding keeps the goal out of reach. */
const MAX_IDLE = 4
const STALLED = 1e-12
/** Rounds of guessing which idle edges a step switches on. */
const MAX_GUESSES = 4
/** A price moves by at most a factor e in one step. */
const MAX_MOVE = 1
const SUFFICIENT = 1e-4
/** Tolerance of a division that is to be settled, and steps enough for one that changed by a few edges. */
export const TIGHT = 1e-8
export const FEW_STEPS = 25
/** Room for edges at first. */
const FEW_EDGES = 64
const NOTHING = new Float64Array(0)
/** Matrices below this size are dense to no harm. */
const FEW_TOKENS = 12

/**
 * How an edge counts in the linear model of a step: not at all, with its flow, with a flow that is all it has, or as one that
 * the step switches on or turns down.
 */
const IDLE = 0
const ACTIVE = 1
const FULL = 2
const AWAKENED = 3

/** How an edge trades: alone, or with others of its pool, which at the present prices is idle or not. */
const ALONE = 0
const IDLE_TOGETHER = 1
const TRADING_TOGETHER = 2

export type Checkpoint = {
  readonly edges: readonly number[]
  readonly tokens: readonly number[]
  readonly logPrice: readonly number[]
}

export class WaterFilling {
  /** Tokens in the set; the target stands first and has the price 1. */
  tokens: number[] = []
  edges: number[] = []
  /** Natural logarithm of each token's price, by token. */
  readonly logPrice: Float64Array
  /** Prices as of the last evaluation, by token. */
  private readonly prices: Float64Array
  /** Place of a token in `tokens`, −1 outside. */
  readonly place: Int32Array
  readonly has: Uint8Array
  /** By place in `edges`. */
  input: Float64Array
  output: Float64Array
  /** What the trade pays by the prices found. */
  value = 0
  /** Largest surplus or shortage of a token, as a part of `value`. */
  residual = Number.POSITIVE_INFINITY

  private readonly problem: Problem
  private responses: Response[] = []
  private sold: Int32Array
  private bought: Int32Array
  private logRate: Float64Array
  private conductance: Float64Array
  private mode: Uint8Array
  private together: Uint8Array
  /** Pools of several tokens with pairs in the set. */
  private readonly pools = new Map<Pool, SharedPool>()
  /** Those of them with several pairs in the set, which trade as one. */
  private shared: SharedPool[] = []
  private flow: Float64Array
  private weight: Float64Array
  /** By place in `tokens`. */
  private gradient: Float64Array = NOTHING
  private step: Float64Array = NOTHING
  private before: Float64Array = NOTHING
  private matrix: Float64Array = NOTHING
  private readonly point: Point = { input: 0, output: 0, conductance: 0 }

  constructor(problem: Problem) {
    const { tokens, from, scratch } = problem.graph.topology
    this.problem = problem
    this.logPrice = scratch.floats(tokens.length)
    this.prices = scratch.floats(tokens.length)
    this.place = scratch.ints(tokens.length, -1)
    this.has = scratch.bytes(from.length, 0)
    this.input = scratch.floats(FEW_EDGES)
    this.output = scratch.floats(FEW_EDGES)
    this.sold = scratch.ints(FEW_EDGES)
    this.bought = scratch.ints(FEW_EDGES)
    this.logRate = scratch.floats(FEW_EDGES)
    this.conductance = scratch.floats(FEW_EDGES)
    this.flow = scratch.floats(FEW_EDGES)
    this.weight = scratch.floats(FEW_EDGES)
    this.mode = scratch.bytes(FEW_EDGES)
    this.together = scratch.bytes(FEW_EDGES)
    this.addToken(problem.target, 0)
  }

  addToken(token: number, logPrice: number): void {
    if (this.place[token]! >= 0) return
    this.place[token] = this.tokens.length
    this.tokens.push(token)
    this.logPrice[token] = logPrice
  }

  /** Both ends must be in the set. */
  addEdge(edge: number): boolean {
    if (this.has[edge]) return false
    const { rate, graph } = this.problem
    const k = this.edges.length
    if (k === this.input.length) this.grow()
    this.has[edge] = 1
    this.edges.push(edge)
    this.responses.push(responseOf(this.problem, edge))
    this.sold[k] = graph.topology.from[edge]!
    this.bought[k] = graph.topology.to[edge]!
    this.logRate[k] = Math.log(rate[edge]!)
    this.together[k] = ALONE
    if (this.problem.reuse) this.share(edge, k)
    return true
  }

  private share(edge: number, place: number): void {
    const { pool } = this.problem.graph.edges[edge]!
    const surface = surfaceOf(pool)
    if (!surface) return
    const pairs = this.pools.get(pool) ?? new SharedPool(surface)
    this.pools.set(pool, pairs)
    pairs.add(this.problem, edge, place)
    if (pairs.places.length === 1) return
    if (pairs.places.length === 2) this.shared.push(pairs)
    for (const other of pairs.places) this.together[other] = IDLE_TOGETHER
  }

  get sharedPools(): readonly SharedPool[] {
    return this.shared
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
    for (const edge of this.edges) this.has[edge] = 0
    for (const token of this.tokens) this.place[token] = -1
    this.edges = []
    this.responses = []
    for (const pool of this.pools.values()) pool.clear()
    this.shared = []
    this.tokens = [...tokens]
    tokens.forEach((token, index) => {
      this.place[token] = index
      if (logPrice.length > 0) this.logPrice[token] = logPrice[index]!
    })
    for (const edge of edges) this.addEdge(edge)
  }

  price(token: number): number {
    return Math.exp(this.logPrice[token]!)
  }

  /** Trades every edge at the present prices and returns the dual's value. */
  evaluate(): number {
    const { problem, tokens, edges, responses, logPrice, prices, sold, bought, point, input, output, conductance } =
      this
    const { together, shared } = this
    const { rate } = problem
    const sharing = shared.length > 0
    for (let j = 0; j < tokens.length; j++) prices[tokens[j]!] = Math.exp(logPrice[tokens[j]!]!)
    let value = prices[problem.source]! * problem.amountIn
    for (let k = 0; k < edges.length; k++) {
      const price = prices[sold[k]!]!
      const worth = prices[bought[k]!]!
      if (sharing && together[k] !== ALONE) continue
      if (price >= rate[edges[k]!]! * worth) {
        input[k] = output[k] = conductance[k] = 0
        continue
      }
      respond(responses[k]!, price / worth, point)
      input[k] = point.input
      output[k] = point.output
      conductance[k] = point.conductance
      value += point.output * worth - point.input * price
    }
    return sharing ? value + this.evaluateShared() : value
  }

  private evaluateShared(): number {
    const { shared, prices, input, output, conductance, together } = this
    let value = 0
    for (const pool of shared) {
      const earned = pool.respond(prices, input, output)
      for (const k of pool.places) {
        conductance[k] = 0
        together[k] = earned > 0 ? TRADING_TOGETHER : IDLE_TOGETHER
      }
      value += earned
    }
    return value
  }

  /** Moves the prices to where no token is left over by more than `tolerance` of the trade, or as near as it gets. */
  solve(tolerance: number, maxSteps = MAX_STEPS): void {
    this.putHubsLast()
    const { tokens, logPrice } = this
    const size = tokens.length
    if (size > this.step.length) this.makeRoomForTokens(size)
    const { gradient, step, before } = this
    let value = this.evaluate()
    let residual = Number.POSITIVE_INFINITY
    let idle = 0
    for (let count = 0; count < maxSteps; count++) {
      this.fillGradient(gradient)
      residual = 0
      for (let j = 1; j < size; j++) residual = Math.max(residual, Math.abs(gradient[j]!))
      if (residual < tolerance * value) break
      this.newtonStep(gradient, step, value)
      let largest = 0
      let slope = 0
      for (let j = 1; j < size; j++) {
        largest = Math.max(largest, Math.abs(step[j]!))
        slope += gradient[j]! * step[j]!
        before[j] = logPrice[tokens[j]!]!
      }
      let scale = largest > MAX_MOVE ? MAX_MOVE / largest : 1
      let next = value
      let descended = false
      for (let halving = 0; halving < MAX_HALVINGS && !descended; halving++) {
        for (let j = 1; j < size; j++) logPrice[tokens[j]!] = before[j]! + scale * step[j]!
        next = this.evaluate()
        descended = next <= value + SUFFICIENT * scale * slope || Math.abs(scale * slope) < 1e-13 * value
        if (!descended) scale /= 2
      }
      if (!descended) {
        for (let j = 1; j < size; j++) logPrice[tokens[j]!] = before[j]!
        value = this.evaluate()
        break
      }
      const gained = value - next
      value = next
      if (gained < 1e-15 * value && largest < 1e-13) break
      idle = gained < STALLED * value ? idle + 1 : 0
      if (idle === MAX_IDLE) break
    }
    this.value = value
    this.residual = residual / value
  }

  /** Surplus of each token at the present prices, valued in the output token. */
  private fillGradient(gradient: Float64Array): void {
    const { problem, edges, place, prices, sold, bought, input, output, mode, flow, weight, conductance, together } =
      this
    const sharing = this.shared.length > 0
    gradient.fill(0)
    gradient[place[problem.source]!]! += prices[problem.source]! * problem.amountIn
    for (let k = 0; k < edges.length; k++) {
      mode[k] = IDLE
      if (sharing && together[k] === TRADING_TOGETHER) {
        mode[k] = ACTIVE
        weight[k] = 0
        continue
      }
      if (!(input[k]! > 0)) continue
      const u = sold[k]!
      const v = bought[k]!
      mode[k] = conductance[k]! > 0 ? ACTIVE : FULL
      flow[k] = input[k]! * prices[u]!
      weight[k] = conductance[k]! * prices[u]!
      gradient[place[u]!]! -= flow[k]!
      gradient[place[v]!]! += output[k]! * prices[v]!
    }
    for (const { tokens, value } of this.shared)
      for (let k = 0; k < tokens.length; k++) if (value[k] !== 0) gradient[place[tokens[k]!]!]! -= value[k]!
  }

  /**
   * Solves the linear model of the network. Edges that are idle now but that the step would switch on are given their first
   * conductance, those that have no more but that the step would turn down their last, and the step is taken again: without
   * that look-ahead Newton's method overshoots at every new edge.
   */
  private newtonStep(gradient: Float64Array, step: Float64Array, value: number): void {
    const { edges, responses, place, logPrice, prices, sold, bought, logRate, mode, flow, weight } = this
    const first = this.problem.graph.conductance
    const size = this.tokens.length
    for (let guess = 0; ; guess++) {
      this.assemble(gradient, step, value)
      solveSymmetric(this.matrix, step, size)
      if (guess > 0) {
        let slope = 0
        for (let j = 1; j < size; j++) slope += gradient[j]! * step[j]!
        if (!(slope < 0)) {
          // The guess broke the descent: take the plain step.
          for (let k = 0; k < edges.length; k++) if (mode[k] === AWAKENED) mode[k] = IDLE
          this.assemble(gradient, step, value)
          solveSymmetric(this.matrix, step, size)
          return
        }
      }
      if (guess >= MAX_GUESSES) return
      let awakened = false
      for (let k = 0; k < edges.length; k++) {
        const full = mode[k] === FULL
        if (mode[k] !== IDLE && !full) continue
        const end = full ? endOf(responses[k]!) : null
        const u = sold[k]!
        const v = bought[k]!
        const gap = logPrice[u]! - logPrice[v]! - (end ? end.logRate : logRate[k]!)
        const after = gap + step[place[u]!]! - step[place[v]!]!
        const depth = end ? end.conductance : first[edges[k]!]!
        if ((end ? after > 0 : after < 0) && depth > 0) {
          mode[k] = AWAKENED
          weight[k] = depth * prices[u]!
          flow[k] = -weight[k]! * gap
          awakened = true
        }
      }
      if (!awakened) return
    }
  }

  private assemble(gradient: Float64Array, step: Float64Array, value: number): void {
    const { edges, place, matrix, sold, bought, mode, flow, weight } = this
    const size = this.tokens.length
    matrix.fill(0, 0, size * size)
    for (let j = 0; j < size; j++) step[j] = -gradient[j]!
    for (let k = 0; k < edges.length; k++) {
      if (mode[k] === IDLE) continue
      const a = place[sold[k]!]!
      const b = place[bought[k]!]!
      const conductance = weight[k]!
      if (mode[k] === AWAKENED) {
        step[a]! += flow[k]!
        step[b]! -= flow[k]!
      }
      matrix[a * size + a]! += conductance
      matrix[b * size + b]! += conductance
      matrix[a < b ? a * size + b : b * size + a]! -= conductance
    }
    for (const pool of this.shared) this.assembleShared(pool)
    let largest = 0
    for (let j = 1; j < size; j++) largest = Math.max(largest, matrix[j * size + j]!)
    // A token that is left over or short is approached by steps of about a factor e, whatever little answers to its price.
    for (let j = 1; j < size; j++) matrix[j * size + j]! += 1e-9 * value + 1e-13 * largest + Math.abs(gradient[j]!)
    step[0] = 0
  }

  /** All tokens of a pool meet in its invariant: a star of resistors, whose middle is left out. */
  private assembleShared({ tokens, weight }: SharedPool): void {
    const { matrix, place } = this
    const size = this.tokens.length
    let total = 0
    for (const part of weight) total += part
    for (let i = 0; i < tokens.length; i++) {
      for (let j = 0; j < i; j++) {
        if (!(weight[i]! > 0 && weight[j]! > 0)) continue
        const conductance = (weight[i]! * weight[j]!) / total
        const [a, b] = [place[tokens[i]!]!, place[tokens[j]!]!]
        matrix[a * size + a]! += conductance
        matrix[b * size + b]! += conductance
        matrix[a < b ? a * size + b : b * size + a]! -= conductance
      }
    }
  }

  /** Tokens of few edges first: the matrix then stays sparse while it is solved. */
  private putHubsLast(): void {
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

  private makeRoomForTokens(size: number): void {
    const { scratch } = this.problem.graph.topology
    const room = roomFor(size)
    this.gradient = scratch.floats(room)
    this.step = scratch.floats(room)
    this.before = scratch.floats(room)
    this.matrix = scratch.floats(room * room)
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
    this.flow = floats(this.flow)
    this.weight = floats(this.weight)
    this.mode = scratch.bytes(room)
    this.together = moved(this.together, scratch.bytes(room))
  }
}
