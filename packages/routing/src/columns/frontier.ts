/**
 * The frontier of an allocation: the tokens and edges around it through which a path could pay at the allocation's
 * prices. An edge is a pool in one direction. An allocation is a flow over some edges, with a price for each token. A
 * path pays if, for the first unit of input, the value of the output exceeds the cost. A token is live if it carries
 * flow, and therefore has a price. Each other token has two labels. One is its minimum cost if it is bought with live
 * tokens. The other is its maximum value if it is sold for live tokens. Labels and prices are in output base units per
 * base unit. Used by column generation (`columns.ts`), the upper bound, and `refine/refill.ts`.
 */
import { LabelQueue } from '../problem/label-correction.ts'
import type { SpotRates } from '../problem/potentials.ts'
import type { Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import {
  DUST_EARNINGS_SHARE,
  MAX_TOKENS_FOR_SPOT_BOUNDS,
  MIN_EDGE_GAIN,
  MIN_LABEL_GAIN,
  MIN_LIVE_SHARE,
} from '../tolerances.ts'
import { ColumnArrays } from './column-arrays.ts'
import { earningsBound } from './earnings-bound.ts'
import { MarginalRates } from './marginal-rates.ts'
import { ValueBounds } from './value-bounds.ts'

export class Frontier {
  /** Tokens that are not live, but lie on a paying path between live tokens. */
  payingTokens: number[] = []
  /** Tokens that carry flow. */
  liveTokens: readonly number[] = []
  /**
   * Edges that would pay: those on a path through paying tokens, and those outside the allocation between two live
   * tokens.
   */
  payingEdges: number[] = []
  /** By token: its minimum cost; for a live token, its price. */
  readonly costLabel: Float64Array
  /** By token: its maximum value; for a live token, its price. Exceeds the minimum cost only for `payingTokens`. */
  readonly valueLabel: Float64Array
  /**
   * By token: the edge that sells it on the path of its maximum value, and the edge that buys it at its minimum cost.
   */
  readonly nextEdge: Int32Array
  readonly previousEdge: Int32Array
  /** By token: 1 if it is live. */
  readonly isLive: Uint8Array
  /** Upper bound on the total earnings of the edges that were skipped for earning too little, in output base units. */
  dustEarnings = 0
  /** False if labels still changed after as many rounds as a path may have hops. This indicates a profitable cycle. */
  hasConverged = true
  /** Scratch arrays of column generation, kept for all runs with this frontier. */
  readonly columnArrays: ColumnArrays

  private readonly problem: Problem
  private readonly ratesToTarget: SpotRates
  private readonly hopsFromSource: Uint8Array
  private readonly rates: MarginalRates
  private readonly valueBounds: ValueBounds
  private readonly queue: LabelQueue
  /** Live tokens, and tokens that got a minimum cost. */
  private reachedTokens: number[] = []

  /**
   * @param spotRates - best spot rates to the target
   * @param hopsFromSource - by token: minimum number of edges from the source
   */
  constructor(problem: Problem, spotRates: SpotRates, hopsFromSource: Uint8Array) {
    const { tokens, scratch } = problem.graph.topology
    const tokenCount = tokens.length
    this.problem = problem
    this.ratesToTarget = spotRates
    this.hopsFromSource = hopsFromSource
    this.rates = new MarginalRates(problem)
    this.valueBounds = new ValueBounds(problem, spotRates, hopsFromSource)
    this.costLabel = scratch.floats(tokenCount, Number.POSITIVE_INFINITY)
    this.valueLabel = scratch.floats(tokenCount, 0)
    this.nextEdge = scratch.ints(tokenCount)
    this.previousEdge = scratch.ints(tokenCount)
    this.isLive = scratch.bytes(tokenCount, 0)
    this.columnArrays = new ColumnArrays(tokenCount, scratch)
    this.queue = new LabelQueue(tokenCount, scratch)
  }

  /**
   * By edge: rate for the first unit. If the allocation trades several pairs of the pool, it is the rate after these
   * trades.
   */
  get rate(): Float64Array {
    return this.rates.rate
  }

  /**
   * Explores the frontier of a solved allocation.
   *
   * @param minEarnings - in output base units; edges that cannot earn this much may be left out
   */
  explore(allocation: Allocation, minEarnings = 0): void {
    if (this.problem.mayReusePools && this.rates.update(allocation)) this.valueBounds.clearEdgeLists()
    this.clear()
    this.labelLiveTokens(allocation)
    this.valueBounds.chooseBounds(this, this.rates.maxRise)
    if (this.labelCosts()) this.exploreWithinBounds(allocation)
    else {
      this.clear()
      this.labelLiveTokens(allocation)
      this.exploreByValue(allocation, Math.max(minEarnings, DUST_EARNINGS_SHARE * allocation.value))
    }
  }

  /** Finds the paying edges after `labelCosts` reached only a few tokens. */
  private exploreWithinBounds(allocation: Allocation): void {
    const candidates = this.candidateEdges(allocation)
    this.sweepValues(candidates)
    const { from, to } = this.problem.graph.topology
    const minValue = (edge: number) => this.costLabel[from[edge]!]! * (1 + MIN_EDGE_GAIN)
    this.payingEdges = candidates.filter((edge) => this.rate[edge]! * this.valueLabel[to[edge]!]! > minValue(edge))
    this.payingTokens = this.reachedTokens.filter((token) => this.mayPay(token))
  }

  /** Computes the value of every token first, and then explores only the tokens whose value exceeds their cost. */
  private exploreByValue(allocation: Allocation, minEarnings: number): void {
    this.labelValues()
    this.valueBounds.keepValues(this)
    this.labelCostsWithin(minEarnings)
    this.collectEdges(allocation, minEarnings)
  }

  private mayPay(token: number): boolean {
    return this.isLive[token] === 0 && this.valueLabel[token]! > this.costLabel[token]! * (1 + MIN_EDGE_GAIN)
  }

  private clear(): void {
    const { costLabel, valueLabel, isLive } = this
    for (const token of this.reachedTokens) {
      costLabel[token] = Number.POSITIVE_INFINITY
      isLive[token] = 0
    }
    valueLabel.fill(0)
    this.problem.budget.spend(valueLabel.length / 16)
    this.reachedTokens = []
    this.dustEarnings = 0
    this.hasConverged = true
  }

  /** Sets both labels of the live tokens to their prices. */
  private labelLiveTokens(allocation: Allocation): void {
    const { isLive, costLabel, valueLabel, problem } = this
    const { from, to } = problem.graph.topology
    const addLiveToken = (token: number) => {
      if (isLive[token] === 1) return
      isLive[token] = 1
      costLabel[token] = allocation.price(token)
      valueLabel[token] = costLabel[token]!
      this.reachedTokens.push(token)
    }
    addLiveToken(problem.source)
    addLiveToken(problem.target)
    for (let k = 0; k < allocation.edges.length; k++) {
      const edge = allocation.edges[k]!
      if (!(allocation.input[k]! > 0)) continue
      if (!(allocation.input[k]! * allocation.price(from[edge]!) > MIN_LIVE_SHARE * allocation.value)) continue
      addLiveToken(from[edge]!)
      addLiveToken(to[edge]!)
    }
    this.liveTokens = [...this.reachedTokens]
  }

  /**
   * Computes minimum costs outward from the live tokens. Leaves out a token if its cost is above the upper bound on its
   * value. Returns false if too many tokens are reached.
   */
  private labelCosts(): boolean {
    const { problem, valueBounds, rate, costLabel, isLive, reachedTokens, queue } = this
    const { to } = problem.graph.topology
    const maxTokens = MAX_TOKENS_FOR_SPOT_BOUNDS + this.liveTokens.length
    queue.start(this.liveTokens, problem.maxHops)
    for (let token = queue.next(); token >= 0 && reachedTokens.length <= maxTokens; token = queue.next()) {
      if (token === problem.target) continue
      const cost = costLabel[token]!
      const edgeList = valueBounds.edgesFrom(token, cost, rate)
      problem.budget.spend(1 + edgeList.length)
      for (let k = 0; k < edgeList.length; k++) {
        const edge = edgeList[k]!
        const neighbor = to[edge]!
        if (isLive[neighbor] === 1) continue
        const label = cost / rate[edge]!
        if (label < costLabel[neighbor]! && label < valueBounds.boundOf(neighbor)) this.lowerCost(neighbor, label, edge)
      }
    }
    this.hasConverged = queue.clear()
    return reachedTokens.length <= maxTokens
  }

  private lowerCost(token: number, label: number, edge: number): void {
    if (this.costLabel[token] === Number.POSITIVE_INFINITY) this.reachedTokens.push(token)
    this.costLabel[token] = label
    this.previousEdge[token] = edge
    this.queue.add(token)
  }

  /** Returns the edges out of reached tokens that could pay if their output had the maximum value (`valueBounds`). */
  private candidateEdges(allocation: Allocation): number[] {
    const { problem, valueBounds, rate, costLabel, isLive, reachedTokens } = this
    const { to } = problem.graph.topology
    const edges: number[] = []
    for (const token of reachedTokens) {
      if (token === problem.target) continue
      const cost = costLabel[token]!
      const edgeList = valueBounds.edgesFrom(token, cost, rate)
      problem.budget.spend(1 + edgeList.length)
      for (let k = 0; k < edgeList.length; k++) {
        const edge = edgeList[k]!
        const neighbor = to[edge]!
        const liveEndCount = isLive[token]! + isLive[neighbor]!
        const maxValue = isLive[neighbor] === 1 ? costLabel[neighbor]! : valueBounds.boundOf(neighbor)
        if (rate[edge]! * maxValue > cost && (liveEndCount < 2 || allocation.hasEdge[edge] === 0)) edges.push(edge)
      }
    }
    return edges
  }

  /**
   * Computes maximum values of tokens over the candidate edges only. The candidates are roughly in path order, so a few
   * sweeps in reverse order suffice.
   */
  private sweepValues(candidates: readonly number[]): void {
    const { problem, valueLabel, nextEdge, isLive, rate } = this
    const { from, to } = problem.graph.topology
    for (let sweep = 0; sweep < problem.maxHops; sweep++) {
      let hasChanged = false
      problem.budget.spend(candidates.length + 1)
      for (let k = candidates.length - 1; k >= 0; k--) {
        const edge = candidates[k]!
        const token = from[edge]!
        if (isLive[token] === 1) continue
        const value = rate[edge]! * valueLabel[to[edge]!]!
        if (!(value > valueLabel[token]! * (1 + MIN_LABEL_GAIN))) continue
        valueLabel[token] = value
        nextEdge[token] = edge
        hasChanged = true
      }
      if (!hasChanged) return
    }
    this.hasConverged = false
  }

  /** Computes maximum values of all tokens, backward from the live tokens. */
  private labelValues(): void {
    const { problem, ratesToTarget, hopsFromSource, valueLabel, nextEdge, isLive, queue } = this
    const { rateBack } = this.rates
    const { offset, to, reverse } = problem.graph.topology
    const { maxHops } = problem
    for (const token of this.liveTokens) valueLabel[token] = this.costLabel[token]!
    queue.start(this.liveTokens, maxHops)
    for (let token = queue.next(); token >= 0; token = queue.next()) {
      const value = valueLabel[token]!
      const maxHopsFrom = maxHops - 1 - ratesToTarget.hops[token]!
      problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
      for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
        const neighbor = to[edge]!
        const label = rateBack[edge]! * value
        if (
          !(label > valueLabel[neighbor]! * (1 + MIN_LABEL_GAIN)) ||
          isLive[neighbor] === 1 ||
          hopsFromSource[neighbor]! > maxHopsFrom
        )
          continue
        valueLabel[neighbor] = label
        nextEdge[neighbor] = reverse[edge]!
        queue.add(neighbor)
      }
    }
    this.hasConverged = queue.clear()
  }

  /** Computes minimum costs, over edges that may earn enough, of the tokens whose value exceeds their cost. */
  private labelCostsWithin(minEarnings: number): void {
    const { problem, ratesToTarget, hopsFromSource, costLabel, valueLabel, isLive, rate, queue } = this
    const { offset, to } = problem.graph.topology
    const { maxHops } = problem
    queue.start(this.liveTokens, maxHops)
    for (let token = queue.next(); token >= 0; token = queue.next()) {
      if (token === problem.target) continue
      const cost = costLabel[token]!
      const maxHopsAfter = maxHops - 1 - hopsFromSource[token]!
      problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
      for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
        const neighbor = to[edge]!
        const value = rate[edge]! * valueLabel[neighbor]!
        if (
          !(value > cost * (1 + MIN_EDGE_GAIN)) ||
          isLive[neighbor] === 1 ||
          ratesToTarget.hops[neighbor]! > maxHopsAfter
        )
          continue
        const label = cost / rate[edge]!
        if (!(label < costLabel[neighbor]!) || earningsBound(problem, edge, cost, value) < minEarnings) continue
        this.lowerCost(neighbor, label, edge)
      }
    }
    this.hasConverged = queue.clear() && this.hasConverged
  }

  /** Collects the paying edges and tokens, and sums the earnings of edges that are left out. */
  private collectEdges(allocation: Allocation, minEarnings: number): void {
    const { problem, ratesToTarget, hopsFromSource, costLabel, valueLabel, isLive, rate } = this
    const { offset, to } = problem.graph.topology
    const { source, target, maxHops } = problem
    this.payingEdges = []
    for (const token of this.reachedTokens) {
      if (token === target) continue
      const cost = costLabel[token]!
      const maxHopsAfter = maxHops - 1 - hopsFromSource[token]!
      problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
      for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
        const neighbor = to[edge]!
        const value = rate[edge]! * valueLabel[neighbor]!
        if (
          !(value > cost * (1 + MIN_EDGE_GAIN)) ||
          neighbor === source ||
          ratesToTarget.hops[neighbor]! > maxHopsAfter
        )
          continue
        if (isLive[token]! + isLive[neighbor]! === 2 && allocation.hasEdge[edge] === 1) continue
        const maxEarnings = earningsBound(problem, edge, cost, value)
        if (maxEarnings < minEarnings || costLabel[neighbor] === Number.POSITIVE_INFINITY)
          this.dustEarnings += maxEarnings
        else this.payingEdges.push(edge)
      }
    }
    this.payingTokens = this.reachedTokens.filter((token) => this.mayPay(token))
  }

  /**
   * Edges of the best path through a token. It consists of the cheapest path from a live token to this token, and the
   * most valuable path from this token to a live token.
   */
  pathThrough(token: number): readonly number[] {
    const { problem, isLive, nextEdge, previousEdge } = this
    const { from, to } = problem.graph.topology
    const edges: number[] = []
    problem.budget.spend(4 * problem.maxHops)
    for (
      let pathToken = token;
      isLive[pathToken] === 0 && edges.length < problem.maxHops;
      pathToken = from[previousEdge[pathToken]!]!
    )
      edges.unshift(previousEdge[pathToken]!)
    for (
      let pathToken = token;
      isLive[pathToken] === 0 && edges.length < 2 * problem.maxHops;
      pathToken = to[nextEdge[pathToken]!]!
    )
      edges.push(nextEdge[pathToken]!)
    return edges
  }
}
