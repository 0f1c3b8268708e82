/**
 * The frontier of an allocation: the surrounding tokens and edges that could pay at its prices. Used by column
 * generation and the upper bound.
 */
import { LabelQueue } from '../problem/label-correction.ts'
import type { SpotRates } from '../problem/potentials.ts'
import type { Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { DUST_SHARE, EDGE_GAIN, LABEL_GAIN, MAX_TOKENS_FOR_SPOT_BOUNDS, MIN_LIVE_SHARE } from '../tolerances.ts'
import { ColumnRoom } from './column-room.ts'
import { earningsBound } from './most-earned.ts'
import { MarginalRates } from './rates.ts'
import { ValueBounds } from './value-bounds.ts'

export class Frontier {
  /** Tokens outside the allocation through which some path pays, at the prices of the tokens inside. */
  tokens: number[] = []
  /** Tokens that carry flow. */
  liveTokens: readonly number[] = []
  /** Edges on a path that would pay, or that join two tokens of the allocation directly and would pay. */
  edges: number[] = []
  /** Minimum cost of a token in output base units; its price if the token carries flow. */
  readonly costLabel: Float64Array
  /** Maximum value of a token; exceeds its cost only for `tokens`. */
  readonly valueLabel: Float64Array
  /** The next edge on the path with the highest value, and the previous edge on the path with the lowest cost. */
  readonly next: Int32Array
  readonly previous: Int32Array
  /** 1 for tokens that carry flow and therefore have a price. */
  readonly live: Uint8Array
  /** Maximum total earnings of the edges that were left out, in output base units. */
  dust = 0
  /** False if labels still changed after the longest path, which indicates a profitable cycle. */
  converged = true
  /** Scratch arrays shared by the users of the frontier. */
  readonly room: ColumnRoom

  private readonly problem: Problem
  private readonly backward: SpotRates
  private readonly distances: Uint8Array
  private readonly rates: MarginalRates
  private readonly bounds: ValueBounds
  private readonly queue: LabelQueue
  private reached: number[] = []

  constructor(problem: Problem, backward: SpotRates, distances: Uint8Array) {
    const { tokens, scratch } = problem.graph.topology
    const count = tokens.length
    this.problem = problem
    this.backward = backward
    this.distances = distances
    this.rates = new MarginalRates(problem)
    this.bounds = new ValueBounds(problem, backward, distances)
    this.costLabel = scratch.floats(count, Number.POSITIVE_INFINITY)
    this.valueLabel = scratch.floats(count, 0)
    this.next = scratch.ints(count)
    this.previous = scratch.ints(count)
    this.live = scratch.bytes(count, 0)
    this.room = new ColumnRoom(count, scratch)
    this.queue = new LabelQueue(count, scratch)
  }

  /** Rates of all edges, with those of shared pools after the allocation's trades. */
  get rate(): Float64Array {
    return this.rates.rate
  }

  /**
   * Explores around a solved allocation.
   *
   * @param min - edges that cannot earn this may be left out, in output base units
   */
  explore(allocation: Allocation, min = 0): void {
    if (this.problem.mayReusePools && this.rates.update(allocation)) this.bounds.forgetLists()
    this.clear()
    this.takePrices(allocation)
    this.bounds.choose(this, this.rates.maxRise)
    if (this.correctCosts()) this.lookNear(allocation)
    else {
      this.clear()
      this.takePrices(allocation)
      this.lookFar(allocation, Math.max(min, DUST_SHARE * allocation.value))
    }
  }

  /** Explores everything within the bounds, which leave few enough tokens. */
  private lookNear(allocation: Allocation): void {
    const candidates = this.candidates(allocation)
    this.sweepValues(candidates)
    const { from, to } = this.problem.graph.topology
    const min = (edge: number) => this.costLabel[from[edge]!]! * (1 + EDGE_GAIN)
    this.edges = candidates.filter((edge) => this.rate[edge]! * this.valueLabel[to[edge]!]! > min(edge))
    this.tokens = this.reached.filter((token) => this.mayPay(token))
  }

  /** Computes the value of every token first, and then explores only the tokens whose value exceeds their cost. */
  private lookFar(allocation: Allocation, dust: number): void {
    this.measureValues()
    this.bounds.keep(this)
    this.correctCostsWithin(dust)
    this.collect(allocation, dust)
  }

  private mayPay(token: number): boolean {
    return this.live[token] === 0 && this.valueLabel[token]! > this.costLabel[token]! * (1 + EDGE_GAIN)
  }

  private clear(): void {
    const { costLabel, valueLabel, live } = this
    for (const token of this.reached) {
      costLabel[token] = Number.POSITIVE_INFINITY
      live[token] = 0
    }
    valueLabel.fill(0)
    this.problem.budget.spend(valueLabel.length / 16)
    this.reached = []
    this.dust = 0
    this.converged = true
  }

  private takePrices(allocation: Allocation): void {
    const { live, costLabel, valueLabel, problem } = this
    const { from, to } = problem.graph.topology
    const take = (token: number) => {
      if (live[token] === 1) return
      live[token] = 1
      costLabel[token] = allocation.price(token)
      valueLabel[token] = costLabel[token]!
      this.reached.push(token)
    }
    take(problem.source)
    take(problem.target)
    for (let k = 0; k < allocation.edges.length; k++) {
      const edge = allocation.edges[k]!
      if (!(allocation.input[k]! > 0)) continue
      if (!(allocation.input[k]! * allocation.price(from[edge]!) > MIN_LIVE_SHARE * allocation.value)) continue
      take(from[edge]!)
      take(to[edge]!)
    }
    this.liveTokens = [...this.reached]
  }

  /** Minimum costs, from the live tokens on, within the value bounds. Returns false if that reaches too many tokens. */
  private correctCosts(): boolean {
    const { problem, bounds, rate, costLabel, live, reached, queue } = this
    const { to } = problem.graph.topology
    const max = MAX_TOKENS_FOR_SPOT_BOUNDS + this.liveTokens.length
    queue.start(this.liveTokens, problem.maxHops)
    for (let token = queue.next(); token >= 0 && reached.length <= max; token = queue.next()) {
      if (token === problem.target) continue
      const price = costLabel[token]!
      const list = bounds.edgesFrom(token, price, rate)
      problem.budget.spend(1 + list.length)
      for (let k = 0; k < list.length; k++) {
        const edge = list[k]!
        const other = to[edge]!
        if (live[other] === 1) continue
        const label = price / rate[edge]!
        if (label < costLabel[other]! && label < bounds.of(other)) this.lowerCost(other, label, edge)
      }
    }
    this.converged = queue.clear()
    return reached.length <= max
  }

  private lowerCost(token: number, label: number, edge: number): void {
    if (this.costLabel[token] === Number.POSITIVE_INFINITY) this.reached.push(token)
    this.costLabel[token] = label
    this.previous[token] = edge
    this.queue.add(token)
  }

  private candidates(allocation: Allocation): number[] {
    const { problem, bounds, rate, costLabel, live, reached } = this
    const { to } = problem.graph.topology
    const edges: number[] = []
    for (const token of reached) {
      if (token === problem.target) continue
      const price = costLabel[token]!
      const list = bounds.edgesFrom(token, price, rate)
      problem.budget.spend(1 + list.length)
      for (let k = 0; k < list.length; k++) {
        const edge = list[k]!
        const other = to[edge]!
        const ends = live[token]! + live[other]!
        const max = live[other] === 1 ? costLabel[other]! : bounds.of(other)
        if (rate[edge]! * max > price && (ends < 2 || allocation.has[edge] === 0)) edges.push(edge)
      }
    }
    return edges
  }

  /** Values over a few edges, which are roughly in the order in which they were reached, so sweeps converge quickly. */
  private sweepValues(candidates: readonly number[]): void {
    const { problem, valueLabel, next, live, rate } = this
    const { from, to } = problem.graph.topology
    for (let sweep = 0; sweep < problem.maxHops; sweep++) {
      let hasChanged = false
      problem.budget.spend(candidates.length + 1)
      for (let k = candidates.length - 1; k >= 0; k--) {
        const edge = candidates[k]!
        const token = from[edge]!
        if (live[token] === 1) continue
        const value = rate[edge]! * valueLabel[to[edge]!]!
        if (!(value > valueLabel[token]! * (1 + LABEL_GAIN))) continue
        valueLabel[token] = value
        next[token] = edge
        hasChanged = true
      }
      if (!hasChanged) return
    }
    this.converged = false
  }

  /** Maximum values of all tokens, backwards from the live ones. */
  private measureValues(): void {
    const { problem, backward, distances, valueLabel, next, live, queue } = this
    const { rateBack } = this.rates
    const { offset, to, reverse } = problem.graph.topology
    const { maxHops } = problem
    for (const token of this.liveTokens) valueLabel[token] = this.costLabel[token]!
    queue.start(this.liveTokens, maxHops)
    for (let token = queue.next(); token >= 0; token = queue.next()) {
      const value = valueLabel[token]!
      const furthest = maxHops - 1 - backward.hops[token]!
      problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
      for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
        const other = to[edge]!
        const label = rateBack[edge]! * value
        if (!(label > valueLabel[other]! * (1 + LABEL_GAIN)) || live[other] === 1 || distances[other]! > furthest)
          continue
        valueLabel[other] = label
        next[other] = reverse[edge]!
        queue.add(other)
      }
    }
    this.converged = queue.clear()
  }

  /** Minimum costs of the tokens whose value exceeds their cost, over edges that may earn more than dust. */
  private correctCostsWithin(dust: number): void {
    const { problem, backward, distances, costLabel, valueLabel, live, rate, queue } = this
    const { offset, to } = problem.graph.topology
    const { maxHops } = problem
    queue.start(this.liveTokens, maxHops)
    for (let token = queue.next(); token >= 0; token = queue.next()) {
      if (token === problem.target) continue
      const price = costLabel[token]!
      const furthest = maxHops - 1 - distances[token]!
      problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
      for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
        const other = to[edge]!
        const value = rate[edge]! * valueLabel[other]!
        if (!(value > price * (1 + EDGE_GAIN)) || live[other] === 1 || backward.hops[other]! > furthest) continue
        const label = price / rate[edge]!
        if (!(label < costLabel[other]!) || earningsBound(problem, edge, price, value) < dust) continue
        this.lowerCost(other, label, edge)
      }
    }
    this.converged = queue.clear() && this.converged
  }

  private collect(allocation: Allocation, dust: number): void {
    const { problem, backward, distances, costLabel, valueLabel, live, rate } = this
    const { offset, to } = problem.graph.topology
    const { source, target, maxHops } = problem
    this.edges = []
    for (const token of this.reached) {
      if (token === target) continue
      const price = costLabel[token]!
      const furthest = maxHops - 1 - distances[token]!
      problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
      for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
        const other = to[edge]!
        const value = rate[edge]! * valueLabel[other]!
        if (!(value > price * (1 + EDGE_GAIN)) || other === source || backward.hops[other]! > furthest) continue
        if (live[token]! + live[other]! === 2 && allocation.has[edge] === 1) continue
        const earned = earningsBound(problem, edge, price, value)
        if (earned < dust || costLabel[other] === Number.POSITIVE_INFINITY) this.dust += earned
        else this.edges.push(edge)
      }
    }
    this.tokens = this.reached.filter((token) => this.mayPay(token))
  }

  /** The cheapest path to a token and the best path onward, both within the frontier. */
  pathThrough(token: number): readonly number[] {
    const { problem, live, next, previous } = this
    const { from, to } = problem.graph.topology
    const edges: number[] = []
    problem.budget.spend(4 * problem.maxHops)
    for (let at = token; live[at] === 0 && edges.length < problem.maxHops; at = from[previous[at]!]!)
      edges.unshift(previous[at]!)
    for (let at = token; live[at] === 0 && edges.length < 2 * problem.maxHops; at = to[next[at]!]!)
      edges.push(next[at]!)
    return edges
  }
}
