/**
 * Finds the edges (pools in one direction) around priced tokens of a large graph that could pay: their output would be
 * worth more than their input. Begins with upper bounds on token values at spot rates. If these find too many edges,
 * measures tighter bounds. Called by `select-subgraph.ts`.
 */
import type { Graph } from '../graph/graph.ts'
import type { Scratch } from '../graph/scratch.ts'
import { MIN_LABEL_GAIN } from '../tolerances.ts'
import type { Candidates } from './candidates.ts'
import { type ExpansionContext, SubgraphExpander } from './expander.ts'
import type { TokenAtPrice } from './labels.ts'
import { measureValues } from './measure.ts'
import { MAX_EDGES_BY_SPOT_BOUNDS, MAX_PRICE_RISE } from './tolerances.ts'

export class Neighborhood {
  private readonly graph: Graph
  private readonly expansion: ExpansionContext
  private readonly expander: SubgraphExpander
  /** By token: measured maximum value. */
  private readonly measuredValues: Float64Array
  /** Prices at which `measuredValues` were measured; null if they are not valid. */
  private measurementPrices: readonly TokenAtPrice[] | null = null

  constructor(graph: Graph, expansion: ExpansionContext) {
    this.graph = graph
    this.expansion = expansion
    this.expander = new SubgraphExpander(graph, expansion)
    this.measuredValues = graph.topology.scratch.floats(graph.topology.tokens.length)
  }

  /**
   * Returns the edges that may earn at least `minEarnings` (in output base units) at the given prices, or at prices
   * slightly below. The result is valid until the next call.
   */
  edgesAround(pricedTokens: readonly TokenAtPrice[], minEarnings: number): Candidates {
    this.expandFrom(pricedTokens, MAX_PRICE_RISE)
    return this.expander.edgesEarning(minEarnings)
  }

  /**
   * Returns the maximum total earnings, at given prices, of the edges outside the subgraph, in output base units.
   *
   * @param subgraphTokens - tokens of the subgraph. Those without a price may have any price between cost and value
   * @param subgraphEdges - edges of the subgraph, which are not counted
   */
  maxEarningsOutside(
    pricedTokens: readonly TokenAtPrice[],
    subgraphTokens: Int32Array,
    subgraphEdges: Int32Array,
  ): number {
    this.expandFrom(pricedTokens, 1 + MIN_LABEL_GAIN)
    const { scratch, tokens, from } = this.graph.topology
    return scratch.within(() =>
      this.expander.maxEarningsOutside(
        flagsFor(scratch, tokens.length, subgraphTokens),
        flagsFor(scratch, from.length, subgraphEdges),
      ),
    )
  }

  /**
   * Finds the edges around priced tokens. The trade may move the price of a pool at one of its ends far. Spot rates
   * through this pool are then loose bounds, and too many edges are found. Then the values of all tokens are measured
   * over the whole graph.
   *
   * @param maxRise - maximum ratio of a price to the measured value of its token; above it, values are measured again
   */
  private expandFrom(pricedTokens: readonly TokenAtPrice[], maxRise: number): void {
    const { graph, expansion, expander, measuredValues } = this
    if (!this.measurementPrices && expander.expand(pricedTokens, expansion.labels, MAX_EDGES_BY_SPOT_BOUNDS)) return
    let rise = this.riseOf(pricedTokens)
    if (!(rise <= maxRise)) {
      // If the work runs out during the measurement, the array contains no valid values.
      this.measurementPrices = null
      measureValues(graph, expansion, pricedTokens, measuredValues)
      this.measurementPrices = pricedTokens
      rise = 1
    }
    const loweredPrices = pricedTokens.map(({ token, price }) => ({ token, price: price / rise }))
    expander.expand(loweredPrices, { maxValue: measuredValues, hops: expansion.labels.hops })
  }

  /**
   * Returns the maximum ratio of a price to the measured value of its token, at least 1; ∞ if a token of the
   * measurement has no price any more.
   */
  private riseOf(pricedTokens: readonly TokenAtPrice[]): number {
    const { measuredValues, measurementPrices } = this
    const currentTokens = new Set(pricedTokens.map(({ token }) => token))
    if (!measurementPrices?.every(({ token }) => currentTokens.has(token))) return Number.POSITIVE_INFINITY
    return pricedTokens.reduce((max, { token, price }) => Math.max(max, price / measuredValues[token]!), 1)
  }
}

/** Returns an array of `count` flags: 1 at the given numbers, 0 elsewhere. */
function flagsFor(scratch: Scratch, count: number, numbers: Int32Array): Uint8Array {
  const mark = (marks: Uint8Array, value: number) => {
    for (let k = 0; k < numbers.length; k++) marks[numbers[k]!] = value
    return marks
  }
  return mark(
    scratch.zeroBytes(count, (marks) => mark(marks, 0)),
    1,
  )
}
