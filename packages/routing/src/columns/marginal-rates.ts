/**
 * Rates of all edges (pools in one direction) for `Frontier`: the rate for the first unit. If an allocation (the flow
 * so far) trades several pairs of a pool of more than two tokens, each trade moves the rates of all pairs. The rates of
 * this pool are then those after the trades of the allocation.
 */
import type { Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'

const NO_EDGES: ReadonlySet<number> = new Set()

export class MarginalRates {
  /** By edge: current rate. */
  rate: Float64Array
  /** By edge: rate of the reverse edge. */
  rateBack: Float64Array
  /** Maximum over all edges of `rate` / the rate before the allocation's trades; at least 1. */
  maxRise = 1
  private readonly problem: Problem
  /** Edges whose `rate` differs from the problem's. */
  private movedEdges = NO_EDGES

  constructor(problem: Problem) {
    this.problem = problem
    this.rate = problem.rate
    this.rateBack = problem.rateBack
  }

  /** Sets the rates to those after an allocation's trades. Returns false if nothing changed. */
  update({ sharedPools }: Allocation): boolean {
    const { problem, movedEdges } = this
    const { reverse, scratch } = problem.graph.topology
    if (sharedPools.length === 0 && movedEdges.size === 0) return false
    if (this.rate === problem.rate) {
      this.rate = scratch.copy(problem.rate)
      this.rateBack = scratch.copy(problem.rateBack)
    }
    const setRate = (edge: number, rate: number) => {
      this.rate[edge] = rate
      this.rateBack[reverse[edge]!] = rate
    }
    for (const edge of movedEdges) setRate(edge, problem.rate[edge]!)
    const rates = new Map(sharedPools.flatMap((pool) => [...pool.ratesAfter(problem)]))
    this.maxRise = 1
    for (const [edge, rate] of rates) {
      setRate(edge, rate)
      if (rate > 0) this.maxRise = Math.max(this.maxRise, rate / problem.rate[edge]!)
    }
    this.movedEdges = new Set(rates.keys())
    return true
  }
}
