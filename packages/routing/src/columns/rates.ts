/**
 * The rates of all edges at an allocation: those of a request, except where shared pools stand elsewhere after their
 * trades.
 */
import type { Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'

const NONE: ReadonlySet<number> = new Set()

export class MarginalRates {
  rate: Float64Array
  /** Rates of the reverse edges. */
  rateBack: Float64Array
  /** The largest factor by which a rate is above the request's. */
  risen = 1
  private readonly problem: Problem
  private moved = NONE

  constructor(problem: Problem) {
    this.problem = problem
    this.rate = problem.rate
    this.rateBack = problem.rateBack
  }

  /** Takes the rates after an allocation's trades; false where all are as they were. */
  update({ shared }: Allocation): boolean {
    const { problem, moved } = this
    const { reverse, scratch } = problem.graph.topology
    if (shared.length === 0 && moved.size === 0) return false
    if (this.rate === problem.rate) {
      this.rate = scratch.copy(problem.rate)
      this.rateBack = scratch.copy(problem.rateBack)
    }
    const put = (edge: number, rate: number) => {
      this.rate[edge] = rate
      this.rateBack[reverse[edge]!] = rate
    }
    for (const edge of moved) put(edge, problem.rate[edge]!)
    const rates = new Map(shared.flatMap((pool) => [...pool.ratesAfter(problem)]))
    this.risen = 1
    for (const [edge, rate] of rates) {
      put(edge, rate)
      if (rate > 0) this.risen = Math.max(this.risen, rate / problem.rate[edge]!)
    }
    this.moved = new Set(rates.keys())
    return true
  }
}
