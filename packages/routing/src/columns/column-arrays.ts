/** Scratch arrays in which column generation evaluates the edges of a frontier. */
import { roundedCapacity, type Scratch } from '../graph/scratch.ts'

export class ColumnArrays {
  /** By token: natural logarithms of its estimated price, and of the lower and upper bound of that price. */
  readonly logPrice: Float64Array
  readonly logCost: Float64Array
  readonly logValue: Float64Array
  /**
   * By token, over its promising edges: sum of the conductances; sum of the log prices that the edges imply for the
   * token, weighted by conductance; and sum of the earnings in output base units.
   */
  readonly conductanceSum: Float64Array
  readonly weightedPriceSum: Float64Array
  readonly earningsSum: Float64Array
  /**
   * By index among the promising edges: both tokens, log rate, and conductance multiplied by the cost of the sold
   * token.
   */
  soldTokens: Int32Array
  boughtTokens: Int32Array
  logRate: Float64Array
  conductance: Float64Array
  private readonly scratch: Scratch

  constructor(tokens: number, scratch: Scratch) {
    this.scratch = scratch
    this.logPrice = scratch.floats(tokens)
    this.logCost = scratch.floats(tokens)
    this.logValue = scratch.floats(tokens)
    this.conductanceSum = scratch.floats(tokens)
    this.weightedPriceSum = scratch.floats(tokens)
    this.earningsSum = scratch.floats(tokens)
    this.soldTokens = this.boughtTokens = scratch.ints(0)
    this.logRate = this.conductance = scratch.floats(0)
  }

  /** Ensures capacity for a number of edges. Discards previous contents. */
  reserve(edges: number): void {
    if (this.logRate.length >= edges) return
    const { scratch } = this
    const capacity = roundedCapacity(edges)
    this.soldTokens = scratch.ints(capacity)
    this.boughtTokens = scratch.ints(capacity)
    this.logRate = scratch.floats(capacity)
    this.conductance = scratch.floats(capacity)
  }
}
