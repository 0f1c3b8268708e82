/**
 * Scratch arrays of column generation (`columns.ts`), which adds edges to an allocation. An edge is a pool in one
 * direction. An allocation is a flow over some edges, with token prices. A promising edge may earn enough to be added.
 * The conductance of an edge is the increase of its input per decrease of the natural logarithm of its rate.
 */
import { roundedCapacity, type Scratch } from '../graph/scratch.ts'

export class ColumnArrays {
  /** By token: natural logarithm of its estimated price. */
  readonly logPrice: Float64Array
  /** By token: natural logarithms of its minimum cost and its maximum value, which bound the price. */
  readonly logCost: Float64Array
  readonly logValue: Float64Array
  /**
   * By token: sum of the conductances of its promising edges, and sum of the log prices that these edges imply for the
   * token, weighted by conductance. An edge implies the price at which its first unit would earn nothing.
   */
  readonly conductanceSum: Float64Array
  readonly weightedLogPriceSum: Float64Array
  /** By token: sum of the earnings of its promising edges, in output base units. */
  readonly earningsSum: Float64Array
  /** By index among the promising edges: sold and bought token. */
  soldTokens: Int32Array
  boughtTokens: Int32Array
  /** By index among the promising edges: natural logarithm of the rate. */
  logRate: Float64Array
  /** By index among the promising edges: conductance times the minimum cost of the sold token, in output base units. */
  valueConductance: Float64Array
  private readonly scratch: Scratch

  constructor(tokens: number, scratch: Scratch) {
    this.scratch = scratch
    this.logPrice = scratch.floats(tokens)
    this.logCost = scratch.floats(tokens)
    this.logValue = scratch.floats(tokens)
    this.conductanceSum = scratch.floats(tokens)
    this.weightedLogPriceSum = scratch.floats(tokens)
    this.earningsSum = scratch.floats(tokens)
    this.soldTokens = this.boughtTokens = scratch.ints(0)
    this.logRate = this.valueConductance = scratch.floats(0)
  }

  /** Ensures capacity for a number of edges. Discards previous contents. */
  reserve(edges: number): void {
    if (this.logRate.length >= edges) return
    const { scratch } = this
    const capacity = roundedCapacity(edges)
    this.soldTokens = scratch.ints(capacity)
    this.boughtTokens = scratch.ints(capacity)
    this.logRate = scratch.floats(capacity)
    this.valueConductance = scratch.floats(capacity)
  }
}
