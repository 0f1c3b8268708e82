/** Edges that could pay around priced tokens of a large graph, by bounds as tight as they have to be. */
import type { Graph } from '../graph/graph.ts'
import type { Scratch } from '../graph/scratch.ts'
import { LABEL_GAIN } from '../tolerances.ts'
import type { Candidates } from './candidates.ts'
import { Grower, type Growth } from './grower.ts'
import type { Priced } from './labels.ts'
import { measureValues } from './measure.ts'
import { LOOSE_EDGES, MOST_RISE } from './tolerances.ts'

export class Surroundings {
  private readonly graph: Graph
  private readonly growth: Growth
  private readonly grower: Grower
  /** Values of all tokens at the prices of some, once they have been measured. */
  private readonly best: Float64Array
  private measuredAt: readonly Priced[] | null = null

  constructor(graph: Graph, growth: Growth) {
    this.graph = graph
    this.growth = growth
    this.grower = new Grower(graph, growth)
    this.best = graph.topology.scratch.floats(graph.topology.tokens.length)
  }

  /**
   * The edges that may earn the least; until others are sought.
   *
   * @param least - what an edge must be able to earn, in output base units
   */
  around(priced: readonly Priced[], least: number): Candidates {
    this.growFrom(priced, MOST_RISE)
    return this.grower.earning(least)
  }

  /**
   * The most that edges earn together at prices.
   *
   * @param inside - tokens whose prices are set elsewhere, between those bounds
   * @param known - edges that are counted elsewhere
   */
  earnedBeyond(priced: readonly Priced[], inside: Int32Array, known: Int32Array): number {
    this.growFrom(priced, 1 + LABEL_GAIN)
    const { scratch, tokens, from } = this.graph.topology
    return scratch.within(() =>
      this.grower.earnedBeyond(marked(scratch, tokens.length, inside), marked(scratch, from.length, known)),
    )
  }

  /**
   * Finds the edges around priced tokens. Where a pool at an end is traded far, spot rates through it bound next to nothing: the values
   * behind the priced tokens are then measured over the whole graph.
   *
   * @param most - factor by which prices may have risen since that was done
   */
  private growFrom(priced: readonly Priced[], most: number): void {
    const { graph, growth, grower, best } = this
    if (!this.measuredAt && grower.grow(priced, growth.labels, LOOSE_EDGES)) return
    let rise = this.rise(priced)
    if (!(rise <= most)) {
      // Should the work end within, nothing is known.
      this.measuredAt = null
      measureValues(graph, growth, priced, best)
      this.measuredAt = priced
      rise = 1
    }
    const lower = priced.map(({ token, price }) => ({ token, price: price / rise }))
    grower.grow(lower, { best, hops: growth.labels.hops })
  }

  /** The factor by which prices have risen at most since values were measured; ∞ where one of them has gone. */
  private rise(priced: readonly Priced[]): number {
    const { best, measuredAt } = this
    const now = new Set(priced.map(({ token }) => token))
    if (!measuredAt?.every(({ token }) => now.has(token))) return Number.POSITIVE_INFINITY
    return priced.reduce((most, { token, price }) => Math.max(most, price / best[token]!), 1)
  }
}

/** 1 for each of some numbers below a count. */
function marked(scratch: Scratch, count: number, numbers: Int32Array): Uint8Array {
  const mark = (marks: Uint8Array, value: number) => {
    for (let k = 0; k < numbers.length; k++) marks[numbers[k]!] = value
    return marks
  }
  return mark(
    scratch.zeroBytes(count, (marks) => mark(marks, 0)),
    1,
  )
}
