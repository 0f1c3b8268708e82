/** Upper bounds on token values: from spot rates, or from the values measured around an earlier allocation. */
import type { SpotRates } from '../problem/potentials.ts'
import type { Problem } from '../problem/problem.ts'

/** The labels of a frontier that bounds are derived from. */
type Labels = {
  readonly liveTokens: readonly number[]
  readonly live: Uint8Array
  readonly costLabel: Float64Array
  readonly valueLabel: Float64Array
}

export class ValueBounds {
  private readonly problem: Problem
  private readonly backward: SpotRates
  private readonly distances: Uint8Array
  /** Bounds by token; the effective bound is multiplied by `rise`. */
  private bound: Float64Array
  private rise = 1
  private measured: Float64Array | null = null
  /** Tokens that carried flow at that measurement. */
  private measuredAt: readonly number[] = []
  /** By token: cached edges that could pay at the token's cost, valid down to a cost limit. */
  private readonly lists = new Map<number, Int32Array>()
  private readonly limit: Float64Array
  private readonly buffer: Int32Array

  constructor(problem: Problem, backward: SpotRates, distances: Uint8Array) {
    const { tokens, from, scratch } = problem.graph.topology
    this.problem = problem
    this.backward = backward
    this.distances = distances
    this.bound = backward.best
    this.limit = scratch.floats(tokens.length, Number.POSITIVE_INFINITY)
    this.buffer = scratch.ints(from.length)
  }

  of(token: number): number {
    return this.rise * this.bound[token]!
  }

  /**
   * Selects the bounds for new prices. Values are at most proportional to prices: if no price rose by more than a factor since the
   * measurement, no value did. This holds only while all tokens that carried flow at the measurement still do.
   *
   * @param maxRise - maximum ratio of a rate to the request's
   */
  choose({ live, liveTokens, costLabel }: Labels, maxRise: number): void {
    const { backward, measured, measuredAt, problem } = this
    const bound = measured && measuredAt.every((token) => live[token] === 1) ? measured : backward.best
    if (bound !== this.bound) this.forgetLists()
    this.bound = bound
    // Each edge of a path from the token may have risen.
    this.rise = maxRise ** problem.maxHops
    if (bound === measured)
      for (const token of liveTokens)
        this.rise = Math.max(this.rise, (maxRise ** problem.maxHops * costLabel[token]!) / bound[token]!)
  }

  /** Uses the values of a frontier as bounds from now on. */
  keep({ valueLabel, liveTokens }: Labels): void {
    this.measured ??= this.problem.graph.topology.scratch.floats(valueLabel.length)
    this.measured.set(valueLabel)
    this.measuredAt = liveTokens
    this.bound = this.measured
    this.forgetLists()
  }

  forgetLists(): void {
    this.lists.clear()
    this.limit.fill(Number.POSITIVE_INFINITY)
  }

  /** Edges out of a token that could pay at its cost, by the bounds on the tokens that they buy. */
  edgesFrom(token: number, cost: number, rate: Float64Array): Int32Array {
    const { problem, backward, distances, buffer, bound } = this
    const needed = cost / this.rise
    if (needed >= this.limit[token]!) return this.lists.get(token)!
    const { offset, to } = problem.graph.topology
    const { source, maxHops } = problem
    const { hops } = backward
    const furthest = maxHops - 1 - distances[token]!
    let count = 0
    problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
      const other = to[edge]!
      if (rate[edge]! * bound[other]! > needed && hops[other]! <= furthest && other !== source) buffer[count++] = edge
    }
    const list = buffer.slice(0, count)
    this.limit[token] = needed
    this.lists.set(token, list)
    return list
  }
}
