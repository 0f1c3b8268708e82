/** Arrays in which column generation evaluates the edges of a frontier. */
import { roomFor, type Scratch } from '../graph/scratch.ts'

export class ColumnRoom {
  /** By token: natural logarithms of the balanced price and of its lower and upper bound. */
  readonly logPrice: Float64Array
  readonly logCost: Float64Array
  readonly logValue: Float64Array
  /**
   * By token: sum of the conductances of its edges, weighted sum of their prices, and sum of their earnings, in output base units.
   */
  readonly weight: Float64Array
  readonly moment: Float64Array
  readonly benefit: Float64Array
  /** By index among the promising edges: ends, log rate, and conductance at the cost of the sold token. */
  sold: Int32Array
  bought: Int32Array
  logRate: Float64Array
  conductance: Float64Array
  private readonly scratch: Scratch

  constructor(tokens: number, scratch: Scratch) {
    this.scratch = scratch
    this.logPrice = scratch.floats(tokens)
    this.logCost = scratch.floats(tokens)
    this.logValue = scratch.floats(tokens)
    this.weight = scratch.floats(tokens)
    this.moment = scratch.floats(tokens)
    this.benefit = scratch.floats(tokens)
    this.sold = this.bought = scratch.ints(0)
    this.logRate = this.conductance = scratch.floats(0)
  }

  /** Ensures capacity for a number of edges. Discards previous contents. */
  fit(edges: number): void {
    if (this.logRate.length >= edges) return
    const { scratch } = this
    const room = roomFor(edges)
    this.sold = scratch.ints(room)
    this.bought = scratch.ints(room)
    this.logRate = scratch.floats(room)
    this.conductance = scratch.floats(room)
  }
}
