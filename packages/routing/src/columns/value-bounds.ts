/**
 * Upper bounds on what a token may bring: from spot rates, or from the values measured around an earlier allocation.
 */
import type { Potential } from '../problem/potentials.ts'
import type { Problem } from '../problem/problem.ts'
import { LIST_SLACK } from '../tolerances.ts'

/** The labels of a frontier, as far as bounds are made of them. */
type Labels = {
  readonly liveTokens: readonly number[]
  readonly live: Uint8Array
  readonly costLabel: Float64Array
  readonly valueLabel: Float64Array
}

export class ValueBounds {
  private readonly problem: Problem
  private readonly backward: Potential
  private readonly distances: Uint8Array
  /** Bounds by token, to be multiplied by `rise`. */
  private bound: Float64Array
  private rise = 1
  private measured: Float64Array | null = null
  /** Tokens that the trade flowed through when that was measured. */
  private measuredAt: readonly number[] = []
  /** By token: the edges that could pay for what it costs, down to a cost. */
  private readonly lists = new Map<number, Int32Array>()
  private readonly limit: Float64Array
  private readonly found: Int32Array

  constructor(problem: Problem, backward: Potential, distances: Uint8Array) {
    const { tokens, from, scratch } = problem.graph.topology
    this.problem = problem
    this.backward = backward
    this.distances = distances
    this.bound = backward.best
    this.limit = scratch.floats(tokens.length, Number.POSITIVE_INFINITY)
    this.found = scratch.ints(from.length)
  }

  of(token: number): number {
    return this.rise * this.bound[token]!
  }

  /**
   * Prices bound all values behind them: where they have risen since values were measured by a part at most, so have those.
   * That holds as long as none of the prices that were taken for given then has gone.
   *
   * @param risen - the largest factor by which a rate is above the request's
   */
  choose({ live, liveTokens, costLabel }: Labels, risen: number): void {
    const { backward, measured, measuredAt, problem } = this
    const bound = measured && measuredAt.every((token) => live[token] === 1) ? measured : backward.best
    if (bound !== this.bound) this.forgetLists()
    this.bound = bound
    // Each of the edges behind a token may have risen.
    this.rise = risen ** problem.maxHops
    if (bound === measured)
      for (const token of liveTokens)
        this.rise = Math.max(this.rise, (risen ** problem.maxHops * costLabel[token]!) / bound[token]!)
  }

  /** Takes the values of a frontier for bounds from now on. */
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

  /** Edges out of a token that could pay for what it costs, by the bounds on what they buy. */
  edgesFrom(token: number, cost: number, rate: Float64Array): Int32Array {
    const { problem, backward, distances, found, bound } = this
    const needed = cost / this.rise
    if (needed >= this.limit[token]!) return this.lists.get(token)!
    const { offset, to } = problem.graph.topology
    const { source, maxHops } = problem
    const { hops } = backward
    const floor = needed * (1 - LIST_SLACK)
    const furthest = maxHops - 1 - distances[token]!
    let count = 0
    problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
      const other = to[edge]!
      if (rate[edge]! * bound[other]! > floor && hops[other]! <= furthest && other !== source) found[count++] = edge
    }
    const list = found.slice(0, count)
    this.limit[token] = floor
    this.lists.set(token, list)
    return list
  }
}
