/** Edges around priced tokens of a large graph that could pay, with bounds that are tightened on demand. */
import type { Graph } from '../graph/graph.ts'
import type { Scratch } from '../graph/scratch.ts'
import { LABEL_GAIN } from '../tolerances.ts'
import type { Candidates } from './candidates.ts'
import { type ExpansionTerms, SubgraphExpander } from './expander.ts'
import type { TokenAtPrice } from './labels.ts'
import { measureValues } from './measure.ts'
import { LOOSE_EDGES, MAX_PRICE_RISE } from './tolerances.ts'

export class Neighborhood {
  private readonly graph: Graph
  private readonly growth: ExpansionTerms
  private readonly expander: SubgraphExpander
  /** Measured values of all tokens, and the prices that they were measured at; null before the first measurement. */
  private readonly best: Float64Array
  private measuredAt: readonly TokenAtPrice[] | null = null

  constructor(graph: Graph, growth: ExpansionTerms) {
    this.graph = graph
    this.growth = growth
    this.expander = new SubgraphExpander(graph, growth)
    this.best = graph.topology.scratch.floats(graph.topology.tokens.length)
  }

  /**
   * The edges that may earn at least this much. Valid until the next call.
   *
   * @param min - in output base units
   */
  around(pricedTokens: readonly TokenAtPrice[], min: number): Candidates {
    this.growFrom(pricedTokens, MAX_PRICE_RISE)
    return this.expander.edgesEarning(min)
  }

  /**
   * Maximum total earnings of edges at given prices.
   *
   * @param inside - tokens of the subgraph, whose prices lie between their bounds
   * @param counted - edges that are counted elsewhere
   */
  earnedBeyond(pricedTokens: readonly TokenAtPrice[], inside: Int32Array, counted: Int32Array): number {
    this.growFrom(pricedTokens, 1 + LABEL_GAIN)
    const { scratch, tokens, from } = this.graph.topology
    return scratch.within(() =>
      this.expander.maxEarningsOutside(
        marksFor(scratch, tokens.length, inside),
        marksFor(scratch, from.length, counted),
      ),
    )
  }

  /**
   * Finds the edges around priced tokens. If a pool at an end moves far, spot rates through it are loose bounds; the
   * token values are then measured over the whole graph.
   *
   * @param max - maximum price increase since the measurement
   */
  private growFrom(pricedTokens: readonly TokenAtPrice[], max: number): void {
    const { graph, growth, expander, best } = this
    if (!this.measuredAt && expander.expand(pricedTokens, growth.labels, LOOSE_EDGES)) return
    let rise = this.rise(pricedTokens)
    if (!(rise <= max)) {
      // If the work runs out during the measurement, no values are known.
      this.measuredAt = null
      measureValues(graph, growth, pricedTokens, best)
      this.measuredAt = pricedTokens
      rise = 1
    }
    const lower = pricedTokens.map(({ token, price }) => ({ token, price: price / rise }))
    expander.expand(lower, { best, hops: growth.labels.hops })
  }

  /** Maximum ratio of prices to the measured values; ∞ if a token of the measurement has no price any more. */
  private rise(pricedTokens: readonly TokenAtPrice[]): number {
    const { best, measuredAt } = this
    const now = new Set(pricedTokens.map(({ token }) => token))
    if (!measuredAt?.every(({ token }) => now.has(token))) return Number.POSITIVE_INFINITY
    return pricedTokens.reduce((max, { token, price }) => Math.max(max, price / best[token]!), 1)
  }
}

/** Marks some numbers below a count with 1. */
function marksFor(scratch: Scratch, count: number, numbers: Int32Array): Uint8Array {
  const mark = (marks: Uint8Array, value: number) => {
    for (let k = 0; k < numbers.length; k++) marks[numbers[k]!] = value
    return marks
  }
  return mark(
    scratch.zeroBytes(count, (marks) => mark(marks, 0)),
    1,
  )
}
