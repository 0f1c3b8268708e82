/**
 * Finds the edges (pools in one direction) of a large graph, around some tokens with prices, that could be profitable.
 * An edge could be profitable if a unit of its input may have more value than cost: the upper bound on its value when
 * sold through the edge exceeds its lowest cost. Called by `neighborhood.ts`.
 */
import type { Graph, Rates, TargetLabels } from '../graph/graph.ts'
import type { WorkBudget } from '../problem/budget.ts'
import type { Ends } from '../problem/passable.ts'
import { MIN_EDGE_GAIN, MIN_LABEL_GAIN } from '../tolerances.ts'
import type { Candidates } from './candidates.ts'
import type { TokenAtPrice } from './labels.ts'
import { EDGES_PER_CHUNK, MIN_CHUNKS } from './tolerances.ts'

/** The trade, with rates and value bounds of the whole graph. */
export type ExpansionContext = {
  readonly ends: Ends
  readonly maxHops: number
  /** Upper bounds on token values at spot rates. */
  readonly labels: TargetLabels
  /** Rates of the edges between intermediate tokens; 0 if the trust rule excludes an edge. */
  readonly intermediateRates: Rates
  readonly budget: WorkBudget
}

/**
 * Expands from the priced tokens along edges that could be profitable, round by round. The other methods use the result
 * of the last `expand`.
 */
export class SubgraphExpander {
  private readonly graph: Graph
  private readonly context: ExpansionContext
  /**
   * By token: the base units of it that cost one base unit of the output token, at the lowest known cost. 0 if the
   * token was not reached.
   */
  private readonly units: Float64Array
  /** By token: minimum number of edges from the source (for priced tokens other than the source: 1). */
  private readonly minHopsFromSource: Uint8Array
  /** By token: 1 if it is in `nextLayer`, or still to be scanned in this round. */
  private readonly isQueued: Uint8Array
  /** By token: 1 if its price was given to `expand`. */
  private readonly hasPrice: Uint8Array
  private readonly reachedTokens: Int32Array
  private reachedCount = 0
  /** Tokens of the current round, and of the next one. */
  private layer: Int32Array
  private nextLayer: Int32Array
  private nextLayerCount = 0
  /** Edges found by all scans, also by invalid ones. */
  private foundEdges: Int32Array
  private foundEdgeCount = 0
  /**
   * By number of a scan: the scanned token, its `units` at that time, and the range of the scan's edges in
   * `foundEdges`. When a token is reached at a lower cost, its scan becomes invalid and is repeated, at most once per
   * round.
   */
  private readonly scans: {
    readonly tokens: Int32Array
    readonly units: Float64Array
    readonly starts: Int32Array
    readonly ends: Int32Array
  }
  private scanCount = 0
  /** Value bounds of the last `expand`. */
  private labels: Pick<TargetLabels, 'maxValue' | 'hops'> & Partial<TargetLabels>
  /** Edges of the valid scans. */
  private readonly payingEdges: Int32Array
  /** By index in `payingEdges`: maximum value of a unit of its input, in output base units. */
  private readonly values: Float64Array
  /** Arrays behind the result of `edgesEarning`. */
  private readonly resultEdges: Int32Array
  private readonly resultEarnings: Float64Array

  constructor(graph: Graph, context: ExpansionContext) {
    const { tokens, scratch } = graph.topology
    this.graph = graph
    this.context = context
    this.labels = context.labels
    const wipe = (array: Float64Array | Uint8Array) => {
      for (let k = 0; k < this.reachedCount; k++) array[this.reachedTokens[k]!] = 0
    }
    const maxScans = context.maxHops * tokens.length
    this.reachedTokens = scratch.ints(tokens.length)
    this.layer = scratch.ints(tokens.length)
    this.nextLayer = scratch.ints(tokens.length)
    this.scans = {
      tokens: scratch.ints(maxScans),
      units: scratch.floats(maxScans),
      starts: scratch.ints(maxScans),
      ends: scratch.ints(maxScans),
    }
    this.units = scratch.zeroFloats(tokens.length, wipe)
    this.minHopsFromSource = scratch.zeroBytes(tokens.length, wipe)
    this.isQueued = scratch.zeroBytes(tokens.length, wipe)
    this.hasPrice = scratch.zeroBytes(tokens.length, wipe)
    this.foundEdges = scratch.ints(graph.topology.from.length)
    this.payingEdges = scratch.ints(graph.topology.from.length)
    this.values = scratch.floats(graph.topology.from.length)
    this.resultEdges = scratch.ints(graph.topology.from.length)
    this.resultEarnings = scratch.floats(graph.topology.from.length)
  }

  /**
   * Finds the edges on paths from priced tokens whose maximum value exceeds their cost.
   *
   * @param labels - upper bounds on token values
   * @returns false if more than `maxEdges` edges were found
   */
  expand(
    pricedTokens: readonly TokenAtPrice[],
    labels: SubgraphExpander['labels'],
    maxEdges = Number.POSITIVE_INFINITY,
  ): boolean {
    const { ends, maxHops } = this.context
    const { units, minHopsFromSource, hasPrice, isQueued, scans, reachedTokens } = this
    for (let k = 0; k < this.reachedCount; k++) {
      const token = reachedTokens[k]!
      units[token] = minHopsFromSource[token] = hasPrice[token] = isQueued[token] = 0
    }
    this.labels = labels
    this.foundEdgeCount = this.scanCount = this.nextLayerCount = this.reachedCount = 0
    for (const { token, price } of pricedTokens) {
      reachedTokens[this.reachedCount++] = token
      this.nextLayer[this.nextLayerCount++] = token
      units[token] = 1 / price
      hasPrice[token] = 1
      minHopsFromSource[token] = token === ends.source ? 0 : 1
    }
    for (let round = 0; round < maxHops && this.nextLayerCount > 0; round++) {
      const layer = this.nextLayer
      const layerSize = this.nextLayerCount
      this.nextLayer = this.layer
      this.layer = layer
      this.nextLayerCount = 0
      for (let k = 0; k < layerSize; k++) {
        const token = layer[k]!
        isQueued[token] = 0
        if (token === ends.target) continue
        const firstFound = this.foundEdgeCount
        this.scanToken(token)
        if (this.foundEdgeCount > firstFound) {
          const scan = this.scanCount++
          scans.tokens[scan] = token
          scans.units[scan] = units[token]!
          scans.starts[scan] = firstFound
          scans.ends[scan] = this.foundEdgeCount
        }
        if (this.foundEdgeCount > maxEdges) return false
      }
    }
    return true
  }

  /** Returns the found edges that may earn at least `minEarnings`. The arrays are valid until the next call. */
  edgesEarning(minEarnings: number): Candidates {
    const { graph, units, payingEdges, values, resultEdges, resultEarnings } = this
    const { from } = graph.topology
    const { maxConductance } = graph
    const collected = this.collectPayingEdges()
    let count = 0
    for (let k = 0; k < collected; k++) {
      const edge = payingEdges[k]!
      const unitsOfToken = units[from[edge]!]!
      const sqrtGain = Math.sqrt(unitsOfToken * values[k]!) - 1
      const earning = (2 * maxConductance[edge]! * sqrtGain * sqrtGain) / unitsOfToken
      if (!(earning >= minEarnings)) continue
      resultEdges[count] = edge
      resultEarnings[count++] = earning
    }
    return { edges: resultEdges.subarray(0, count), earnings: resultEarnings.subarray(0, count) }
  }

  /**
   * Returns the maximum total earnings of the found edges, in output base units. A token without a price is valued at
   * the geometric mean of its minimum cost and its maximum value.
   *
   * @param isTokenOfSubgraph - by token: 1 for tokens of the subgraph. Those without a price may have any price between
   *   their cost and their value. So they are valued at their cost when sold, and at their value when bought
   * @param isEdgeOfSubgraph - by edge: 1 for edges of the subgraph, which are not counted
   */
  maxEarningsOutside(isTokenOfSubgraph: Uint8Array, isEdgeOfSubgraph: Uint8Array): number {
    const { graph, context, units, hasPrice, payingEdges } = this
    const { from, to } = graph.topology
    const { maxValue } = this.labels
    const { rate, maxConductance } = graph
    const edgeCount = this.collectPayingEdges()
    const isUnpricedOutside = (token: number) =>
      hasPrice[token] === 0 && isTokenOfSubgraph[token] === 0 && token !== context.ends.target
    let sum = 0
    for (let k = 0; k < edgeCount; k++) {
      const edge = payingEdges[k]!
      if (isEdgeOfSubgraph[edge] === 1) continue
      const tokenSold = from[edge]!
      const tokenBought = to[edge]!
      const cost = isUnpricedOutside(tokenSold)
        ? Math.sqrt(maxValue[tokenSold]! / units[tokenSold]!)
        : 1 / units[tokenSold]!
      const valueOut = hasPrice[tokenBought] === 1 ? 1 / units[tokenBought]! : maxValue[tokenBought]!
      const value =
        rate[edge]! * (isUnpricedOutside(tokenBought) ? Math.sqrt(valueOut / units[tokenBought]!) : valueOut)
      if (!(value > cost)) continue
      const sqrtGain = Math.sqrt(value / cost) - 1
      sum += 2 * maxConductance[edge]! * cost * sqrtGain * sqrtGain
    }
    return sum
  }

  /** Scans the outgoing edges of a token that could be profitable. */
  private scanToken(token: number): void {
    const { graph, context, units } = this
    const { offset } = graph.topology
    const [start, end] = [offset[token]!, offset[token + 1]!]
    this.reserveCapacity(end - start)
    // The source may be an untrusted token, so the trust rule does not apply to its outgoing edges.
    const { rate } = token === context.ends.source ? graph : context.intermediateRates
    const { chunkValuesByToken } = this.labels
    // The chunk values do not hold for the source, whose outgoing edges have other rates. Chunks of a token with few
    // edges save no work. In both cases, all edges are scanned.
    if (!chunkValuesByToken || token === context.ends.source || end - start < MIN_CHUNKS * EDGES_PER_CHUNK) {
      this.scanEdges(token, start, end, rate)
      return
    }
    const chunkValues = this.maxValueOfChunks(chunkValuesByToken, token, start, end)
    const minValue = 1 / units[token]!
    context.budget.spend(chunkValues.length)
    for (let chunk = 0; chunk < chunkValues.length; chunk++)
      if (chunkValues[chunk]! > minValue)
        this.scanEdges(
          token,
          start + chunk * EDGES_PER_CHUNK,
          Math.min(end, start + (chunk + 1) * EDGES_PER_CHUNK),
          rate,
        )
  }

  /**
   * Returns, for each chunk of a token's edges, the maximum value of a unit sold through one of them. Cached per set of
   * labels.
   */
  private maxValueOfChunks(
    chunkValuesByToken: TargetLabels['chunkValuesByToken'],
    token: number,
    start: number,
    end: number,
  ): Float64Array {
    const cachedValues = chunkValuesByToken.get(token)
    if (cachedValues) return cachedValues
    const { to } = this.graph.topology
    const { rate } = this.context.intermediateRates
    const { maxValue } = this.labels
    const chunkValues = new Float64Array(Math.ceil((end - start) / EDGES_PER_CHUNK))
    for (let edge = start; edge < end; edge++) {
      const value = rate[edge]! * maxValue[to[edge]!]!
      const chunk = Math.floor((edge - start) / EDGES_PER_CHUNK)
      if (value > chunkValues[chunk]!) chunkValues[chunk] = value
    }
    chunkValuesByToken.set(token, chunkValues)
    return chunkValues
  }

  /** Adds the profitable edges of a range to `foundEdges`, and lowers the costs of the tokens that they buy. */
  private scanEdges(token: number, start: number, end: number, rates: Float64Array): void {
    const { graph, context, units, minHopsFromSource, isQueued, hasPrice, foundEdges, reachedTokens, nextLayer } = this
    const { to } = graph.topology
    const { maxValue, hops } = this.labels
    const { source, target } = context.ends
    const unitsOfToken = units[token]!
    const hopsLeft = context.maxHops - 1 - minHopsFromSource[token]!
    context.budget.spend(1 + (end - start) / 4)
    let { foundEdgeCount } = this
    for (let edge = start; edge < end; edge++) {
      const label = unitsOfToken * rates[edge]!
      const tokenBought = to[edge]!
      if (
        !(label * maxValue[tokenBought]! > 1 + MIN_EDGE_GAIN) ||
        hops[tokenBought]! > hopsLeft ||
        tokenBought === source
      )
        continue
      foundEdges[foundEdgeCount++] = edge
      if (hasPrice[tokenBought] === 1 || tokenBought === target) continue
      const unitsBefore = units[tokenBought]!
      if (!(label > unitsBefore * (1 + MIN_LABEL_GAIN))) continue
      units[tokenBought] = label
      if (unitsBefore === 0) {
        reachedTokens[this.reachedCount++] = tokenBought
        minHopsFromSource[tokenBought] = minHopsFromSource[token]! + 1
      }
      if (isQueued[tokenBought] === 1) continue
      isQueued[tokenBought] = 1
      nextLayer[this.nextLayerCount++] = tokenBought
    }
    this.foundEdgeCount = foundEdgeCount
  }

  private reserveCapacity(edges: number): void {
    if (this.foundEdgeCount + edges <= this.foundEdges.length) return
    const enlargedArray = this.graph.topology.scratch.ints(2 * this.foundEdges.length)
    enlargedArray.set(this.foundEdges)
    this.foundEdges = enlargedArray
  }

  /**
   * Collects the edges of valid scans in `payingEdges`, and their values in `values`.
   *
   * @returns the number of edges
   */
  private collectPayingEdges(): number {
    const { graph, context, units, foundEdges, scans, payingEdges, values } = this
    const { to, from, offset, reverse } = graph.topology
    const { maxValue } = this.labels
    const { source, target } = context.ends
    let count = 0
    for (let scan = 0; scan < this.scanCount; scan++) {
      const token = scans.tokens[scan]!
      if (scans.units[scan] !== units[token]) continue
      const { rate } = token === source ? graph : context.intermediateRates
      const [start, end] = [scans.starts[scan]!, scans.ends[scan]!]
      context.budget.spend(end - start)
      for (let k = start; k < end; k++) {
        const edge = foundEdges[k]!
        payingEdges[count] = edge
        values[count++] = rate[edge]! * maxValue[to[edge]!]!
      }
    }
    // The target may be an untrusted token, so the trust rule does not apply to its incoming edges.
    if (context.intermediateRates.rate === graph.rate) return count
    for (let reverseEdge = offset[target]!; reverseEdge < offset[target + 1]!; reverseEdge++) {
      const edge = reverse[reverseEdge]!
      if (context.intermediateRates.rate[edge] !== 0 || from[edge] === source) continue
      if (!(graph.rate[edge]! * units[from[edge]!]! > 1 + MIN_EDGE_GAIN)) continue
      payingEdges[count] = edge
      values[count++] = graph.rate[edge]!
    }
    return count
  }
}
