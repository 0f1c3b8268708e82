/** Expands from priced tokens to the surrounding edges that could pay, within upper bounds on token values. */
import type { Graph, Rates, TargetLabels } from '../graph/graph.ts'
import type { WorkBudget } from '../problem/budget.ts'
import type { Ends } from '../problem/passable.ts'
import { EDGE_GAIN, LABEL_GAIN } from '../tolerances.ts'
import type { Candidates } from './candidates.ts'
import type { TokenAtPrice } from './labels.ts'
import { BLOCK, MIN_BLOCKS } from './tolerances.ts'

export type ExpansionTerms = {
  readonly ends: Ends
  readonly maxHops: number
  readonly labels: TargetLabels
  /** Rates of the edges that any route may pass through. */
  readonly between: Rates
  readonly budget: WorkBudget
}

/** Performs the expansion. Its results are valid until the next call of `grow`. */
export class SubgraphExpander {
  private readonly graph: Graph
  private readonly growth: ExpansionTerms
  /** By token: units bought by one unit of output at the lowest cost found; 0 if not reached. */
  private readonly units: Float64Array
  /** Minimum number of edges from the source. */
  private readonly depth: Uint8Array
  private readonly queued: Uint8Array
  private readonly hasPrice: Uint8Array
  private readonly reached: Int32Array
  private reachedCount = 0
  /** Tokens of the current round, and of the next one. */
  private layer: Int32Array
  private following: Int32Array
  private followingCount = 0
  private foundEdges: Int32Array
  private size = 0
  /**
   * Scans of tokens: token, its units at that time, and the range of edges found. A scan becomes invalid when its token
   * is reached with more units, and is then repeated, at most once per round.
   */
  private readonly looks: {
    readonly tokens: Int32Array
    readonly units: Float64Array
    readonly starts: Int32Array
    readonly ends: Int32Array
  }
  private lookCount = 0
  private labels: Pick<TargetLabels, 'best' | 'hops'> & Partial<TargetLabels>
  /** Edges of the valid scans, and the value of the first unit of each one's input. */
  private readonly paying: Int32Array
  private readonly values: Float64Array
  private readonly edges: Int32Array
  private readonly earnings: Float64Array

  constructor(graph: Graph, growth: ExpansionTerms) {
    const { tokens, scratch } = graph.topology
    this.graph = graph
    this.growth = growth
    this.labels = growth.labels
    const wipe = (array: Float64Array | Uint8Array) => {
      for (let k = 0; k < this.reachedCount; k++) array[this.reached[k]!] = 0
    }
    const max = growth.maxHops * tokens.length
    this.reached = scratch.ints(tokens.length)
    this.layer = scratch.ints(tokens.length)
    this.following = scratch.ints(tokens.length)
    this.looks = {
      tokens: scratch.ints(max),
      units: scratch.floats(max),
      starts: scratch.ints(max),
      ends: scratch.ints(max),
    }
    this.units = scratch.zeroFloats(tokens.length, wipe)
    this.depth = scratch.zeroBytes(tokens.length, wipe)
    this.queued = scratch.zeroBytes(tokens.length, wipe)
    this.hasPrice = scratch.zeroBytes(tokens.length, wipe)
    this.foundEdges = scratch.ints(graph.topology.from.length)
    this.paying = scratch.ints(graph.topology.from.length)
    this.values = scratch.floats(graph.topology.from.length)
    this.edges = scratch.ints(graph.topology.from.length)
    this.earnings = scratch.floats(graph.topology.from.length)
  }

  /**
   * Finds the edges on paths from priced tokens whose value exceeds their cost.
   *
   * @param labels - upper bounds on token values
   * @returns false if more than `max` edges were found
   */
  grow(
    pricedTokens: readonly TokenAtPrice[],
    labels: SubgraphExpander['labels'],
    max = Number.POSITIVE_INFINITY,
  ): boolean {
    const { ends, maxHops } = this.growth
    const { units, depth, hasPrice, queued, looks, reached } = this
    for (let k = 0; k < this.reachedCount; k++) {
      const token = reached[k]!
      units[token] = depth[token] = hasPrice[token] = queued[token] = 0
    }
    this.labels = labels
    this.size = this.lookCount = this.followingCount = this.reachedCount = 0
    for (const { token, price } of pricedTokens) {
      reached[this.reachedCount++] = token
      this.following[this.followingCount++] = token
      units[token] = 1 / price
      hasPrice[token] = 1
      depth[token] = token === ends.source ? 0 : 1
    }
    for (let round = 0; round < maxHops && this.followingCount > 0; round++) {
      const layer = this.following
      const count = this.followingCount
      this.following = this.layer
      this.layer = layer
      this.followingCount = 0
      for (let k = 0; k < count; k++) {
        const token = layer[k]!
        queued[token] = 0
        if (token === ends.target) continue
        const start = this.size
        this.look(token)
        if (this.size > start) {
          const look = this.lookCount++
          looks.tokens[look] = token
          looks.units[look] = units[token]!
          looks.starts[look] = start
          looks.ends[look] = this.size
        }
        if (this.size > max) return false
      }
    }
    return true
  }

  /** The found edges that may earn at least this much. Valid until the next call. */
  earning(min: number): Candidates {
    const { graph, units, paying, values, edges, earnings } = this
    const { from } = graph.topology
    const { maxConductance } = graph
    const collected = this.collect()
    let count = 0
    for (let k = 0; k < collected; k++) {
      const edge = paying[k]!
      const ownUnits = units[from[edge]!]!
      const fall = Math.sqrt(ownUnits * values[k]!) - 1
      const earning = (2 * maxConductance[edge]! * fall * fall) / ownUnits
      if (!(earning >= min)) continue
      edges[count] = edge
      earnings[count++] = earning
    }
    return { edges: edges.subarray(0, count), earnings: earnings.subarray(0, count) }
  }

  /**
   * Maximum total earnings of the found edges. Tokens without a price get the geometric mean of their cost and their value.
   *
   * @param inside - 1 for tokens of the subgraph, which keep these bounds
   * @param counted - 1 for edges that are counted elsewhere
   */
  earnedBeyond(inside: Uint8Array, counted: Uint8Array): number {
    const { graph, growth, units, hasPrice, paying } = this
    const { from, to } = graph.topology
    const { best } = this.labels
    const { rate, maxConductance } = graph
    const collected = this.collect()
    const isBetween = (token: number) => hasPrice[token] === 0 && inside[token] === 0 && token !== growth.ends.target
    let sum = 0
    for (let k = 0; k < collected; k++) {
      const edge = paying[k]!
      if (counted[edge] === 1) continue
      const sold = from[edge]!
      const bought = to[edge]!
      const price = isBetween(sold) ? Math.sqrt(best[sold]! / units[sold]!) : 1 / units[sold]!
      const valueOut = hasPrice[bought] === 1 ? 1 / units[bought]! : best[bought]!
      const value = rate[edge]! * (isBetween(bought) ? Math.sqrt(valueOut / units[bought]!) : valueOut)
      if (!(value > price)) continue
      const fall = Math.sqrt(value / price) - 1
      sum += 2 * maxConductance[edge]! * price * fall * fall
    }
    return sum
  }

  private look(token: number): void {
    const { graph, growth, units } = this
    const { offset } = graph.topology
    const [start, end] = [offset[token]!, offset[token + 1]!]
    this.makeRoom(end - start)
    // The source may be any token, so the trust rule does not apply to its outgoing edges.
    const { rate } = token === growth.ends.source ? graph : growth.between
    const { blocks } = this.labels
    // Block labels are not worth computing for a single scan.
    if (!blocks || token === growth.ends.source || end - start < MIN_BLOCKS * BLOCK) {
      this.lookAt(token, start, end, rate)
      return
    }
    const max = this.blocksOf(blocks, token, start, end)
    const needed = 1 / units[token]!
    growth.budget.spend(max.length)
    for (let block = 0; block < max.length; block++)
      if (max[block]! > needed)
        this.lookAt(token, start + block * BLOCK, Math.min(end, start + (block + 1) * BLOCK), rate)
  }

  /** Maximum value of the first unit through each block of edges; computed once per labels. */
  private blocksOf(blocks: TargetLabels['blocks'], token: number, start: number, end: number): Float64Array {
    const cachedLabels = blocks.get(token)
    if (cachedLabels) return cachedLabels
    const { to } = this.graph.topology
    const { rate } = this.growth.between
    const { best } = this.labels
    const max = new Float64Array(Math.ceil((end - start) / BLOCK))
    for (let edge = start; edge < end; edge++) {
      const value = rate[edge]! * best[to[edge]!]!
      const block = Math.floor((edge - start) / BLOCK)
      if (value > max[block]!) max[block] = value
    }
    blocks.set(token, max)
    return max
  }

  private lookAt(token: number, start: number, end: number, rates: Float64Array): void {
    const { graph, growth, units, depth, queued, hasPrice, foundEdges, reached, following } = this
    const { to } = graph.topology
    const { best, hops } = this.labels
    const { source, target } = growth.ends
    const ownUnits = units[token]!
    const furthest = growth.maxHops - 1 - depth[token]!
    growth.budget.spend(1 + (end - start) / 4)
    let { size } = this
    for (let edge = start; edge < end; edge++) {
      const label = ownUnits * rates[edge]!
      const other = to[edge]!
      if (!(label * best[other]! > 1 + EDGE_GAIN) || hops[other]! > furthest || other === source) continue
      foundEdges[size++] = edge
      if (hasPrice[other] === 1 || other === target) continue
      const before = units[other]!
      if (!(label > before * (1 + LABEL_GAIN))) continue
      units[other] = label
      if (before === 0) {
        reached[this.reachedCount++] = other
        depth[other] = depth[token]! + 1
      }
      if (queued[other] === 1) continue
      queued[other] = 1
      following[this.followingCount++] = other
    }
    this.size = size
  }

  private makeRoom(edges: number): void {
    if (this.size + edges <= this.foundEdges.length) return
    const more = this.graph.topology.scratch.ints(2 * this.foundEdges.length)
    more.set(this.foundEdges)
    this.foundEdges = more
  }

  /**
   * Collects the edges of valid scans in `paying`, and their values in `brings`.
   *
   * @returns the number of edges
   */
  private collect(): number {
    const { graph, growth, units, foundEdges, looks, paying, values } = this
    const { to, from, offset, reverse } = graph.topology
    const { best } = this.labels
    const { source, target } = growth.ends
    let count = 0
    for (let look = 0; look < this.lookCount; look++) {
      const token = looks.tokens[look]!
      if (looks.units[look] !== units[token]) continue
      const { rate } = token === source ? graph : growth.between
      const [start, end] = [looks.starts[look]!, looks.ends[look]!]
      growth.budget.spend(end - start)
      for (let k = start; k < end; k++) {
        const edge = foundEdges[k]!
        paying[count] = edge
        values[count++] = rate[edge]! * best[to[edge]!]!
      }
    }
    // The target may be any token, so the trust rule does not apply to its incoming edges.
    if (growth.between.rate === graph.rate) return count
    for (let back = offset[target]!; back < offset[target + 1]!; back++) {
      const edge = reverse[back]!
      if (growth.between.rate[edge] !== 0 || from[edge] === source) continue
      if (!(graph.rate[edge]! * units[from[edge]!]! > 1 + EDGE_GAIN)) continue
      paying[count] = edge
      values[count++] = graph.rate[edge]!
    }
    return count
  }
}
