/** Arrays on which column generation judges the edges of a frontier. */
import { roomFor, type Scratch } from '../graph/scratch.ts'

export class ColumnRoom {
  /**
   * Natural logarithms of the prices at which tokens that may join would be neither left over nor short, and of their
   * bounds.
   */
  readonly logPrice: Float64Array
  readonly logCost: Float64Array
  readonly logValue: Float64Array
  /** Sums over the edges around a token: of their conductances, in output base units, and of their earnings. */
  readonly weight: Float64Array
  readonly moment: Float64Array
  readonly benefit: Float64Array
  /** By place among edges that may earn enough: with logarithms of their rates and conductances at the cost of what they sell. */
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

  /** Makes place for as many edges; what stood there is gone. */
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
