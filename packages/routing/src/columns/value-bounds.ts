/**
 * Upper bounds on the value of tokens: the output, in base units, that one base unit of a token can yield. They follow
 * from spot rates, or from the values that an earlier `Frontier.explore` computed (an exploration).
 */
import type { SpotRates } from '../problem/potentials.ts'
import type { Problem } from '../problem/problem.ts'

/**
 * Token data of a frontier: which tokens are live (carry flow), and cost and value of each in output base units per
 * base unit.
 */
type FrontierLabels = {
  readonly liveTokens: readonly number[]
  readonly isLive: Uint8Array
  readonly costLabel: Float64Array
  readonly valueLabel: Float64Array
}

export class ValueBounds {
  private readonly problem: Problem
  private readonly spotRates: SpotRates
  private readonly hopsFromSource: Uint8Array
  /** By token: bound on its value, valid after it is multiplied by `riseFactor`. */
  private boundByToken: Float64Array
  /** Factor by which values may have risen since `boundByToken` was computed. */
  private riseFactor = 1
  /** Values from the last exploration that computed the values of all tokens; null before the first. */
  private measuredValues: Float64Array | null = null
  /** Live tokens when `measuredValues` were computed. */
  private liveTokensAtMeasurement: readonly number[] = []
  /**
   * By token: cached edges (pools in one direction) that may be profitable. A list is complete for each cost of at
   * least `riseFactor` times `minValueByToken`.
   */
  private readonly edgeListByToken = new Map<number, Int32Array>()
  private readonly minValueByToken: Float64Array
  private readonly edgeBuffer: Int32Array

  constructor(problem: Problem, spotRates: SpotRates, hopsFromSource: Uint8Array) {
    const { tokens, from, scratch } = problem.graph.topology
    this.problem = problem
    this.spotRates = spotRates
    this.hopsFromSource = hopsFromSource
    this.boundByToken = spotRates.maxRate
    this.minValueByToken = scratch.floats(tokens.length, Number.POSITIVE_INFINITY)
    this.edgeBuffer = scratch.ints(from.length)
  }

  boundOf(token: number): number {
    return this.riseFactor * this.boundByToken[token]!
  }

  /**
   * Selects the bounds for new prices. Values rise by at most the factor by which prices of live tokens have risen
   * since `measuredValues` were computed. This holds only while all tokens that were live then are still live.
   *
   * @param maxRise - maximum over edges of the current rate / the rate before any flow
   */
  chooseBounds({ isLive, liveTokens, costLabel }: FrontierLabels, maxRise: number): void {
    const { spotRates, measuredValues, liveTokensAtMeasurement, problem } = this
    const bounds =
      measuredValues && liveTokensAtMeasurement.every((token) => isLive[token] === 1)
        ? measuredValues
        : spotRates.maxRate
    if (bounds !== this.boundByToken) this.clearEdgeLists()
    this.boundByToken = bounds
    // The rate of each edge of a path may have risen.
    this.riseFactor = maxRise ** problem.maxHops
    if (bounds === measuredValues)
      for (const token of liveTokens)
        this.riseFactor = Math.max(this.riseFactor, (maxRise ** problem.maxHops * costLabel[token]!) / bounds[token]!)
  }

  /** Uses the values of a frontier as bounds from now on. */
  keepValues({ valueLabel, liveTokens }: FrontierLabels): void {
    this.measuredValues ??= this.problem.graph.topology.scratch.floats(valueLabel.length)
    this.measuredValues.set(valueLabel)
    this.liveTokensAtMeasurement = liveTokens
    this.boundByToken = this.measuredValues
    this.clearEdgeLists()
  }

  clearEdgeLists(): void {
    this.edgeListByToken.clear()
    this.minValueByToken.fill(Number.POSITIVE_INFINITY)
  }

  /**
   * Returns the edges out of `token` that may be profitable if one unit of it costs `cost`. An edge may be profitable
   * if its output has more value at the value bound of the bought token.
   */
  edgesFrom(token: number, cost: number, rate: Float64Array): Int32Array {
    const { problem, spotRates, hopsFromSource, edgeBuffer, boundByToken } = this
    const minValue = cost / this.riseFactor
    if (minValue >= this.minValueByToken[token]!) return this.edgeListByToken.get(token)!
    const { offset, to } = problem.graph.topology
    const { source, maxHops } = problem
    const { hops } = spotRates
    const maxHopsAfter = maxHops - 1 - hopsFromSource[token]!
    let count = 0
    problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
      const neighbor = to[edge]!
      if (rate[edge]! * boundByToken[neighbor]! > minValue && hops[neighbor]! <= maxHopsAfter && neighbor !== source)
        edgeBuffer[count++] = edge
    }
    const edgeList = edgeBuffer.slice(0, count)
    this.minValueByToken[token] = minValue
    this.edgeListByToken.set(token, edgeList)
    return edgeList
  }
}
