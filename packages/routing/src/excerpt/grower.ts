/** Growth from tokens that have prices to the edges around them that could pay, as far as bounds on what tokens bring let them. */
import type { Graph, Rates, TargetLabels } from '../graph/graph.ts'
import type { WorkBudget } from '../problem/budget.ts'
import type { Ends } from '../problem/passable.ts'
import { EDGE_GAIN, LABEL_GAIN } from '../tolerances.ts'
import type { Candidates } from './candidates.ts'
import type { Priced } from './labels.ts'
import { BLOCK, WORTH_BLOCKS } from './tolerances.ts'

export type Growth = {
  readonly ends: Ends
  readonly maxHops: number
  readonly labels: TargetLabels
  /** Rates of what any route may pass through. */
  readonly between: Rates
  readonly budget: WorkBudget
}

export class Grower {
  private readonly graph: Graph
  private readonly growth: Growth
  /** Units of a token for one of the output, at the least that it costs; 0 where none is reached. */
  private readonly units: Float64Array
  /** Edges from the source, at least. */
  private readonly depth: Uint8Array
  private readonly queued: Uint8Array
  private readonly given: Uint8Array
  private readonly reached: Int32Array
  private reachedCount = 0
  /** Tokens to be looked at in a round, and in the one after it. */
  private layer: Int32Array
  private following: Int32Array
  private followingCount = 0
  private found: Int32Array
  private size = 0
  /**
   * Looks at tokens: each at how many units, and where the edges found there begin and end. Void once a token is reached for more
   * units, and looked at again; once a round at most.
   */
  private readonly looks: {
    readonly tokens: Int32Array
    readonly units: Float64Array
    readonly starts: Int32Array
    readonly ends: Int32Array
  }
  private lookCount = 0
  private labels: Pick<TargetLabels, 'best' | 'hops'> & Partial<TargetLabels>
  /** Edges found that no later look has made void, and what the first unit through each brings. */
  private readonly paying: Int32Array
  private readonly brings: Float64Array
  private readonly edges: Int32Array
  private readonly earnings: Float64Array

  constructor(graph: Graph, growth: Growth) {
    const { tokens, scratch } = graph.topology
    this.graph = graph
    this.growth = growth
    this.labels = growth.labels
    const wipe = (array: Float64Array | Uint8Array) => {
      for (let k = 0; k < this.reachedCount; k++) array[this.reached[k]!] = 0
    }
    const most = growth.maxHops * tokens.length
    this.reached = scratch.ints(tokens.length)
    this.layer = scratch.ints(tokens.length)
    this.following = scratch.ints(tokens.length)
    this.looks = {
      tokens: scratch.ints(most),
      units: scratch.floats(most),
      starts: scratch.ints(most),
      ends: scratch.ints(most),
    }
    this.units = scratch.zeroFloats(tokens.length, wipe)
    this.depth = scratch.zeroBytes(tokens.length, wipe)
    this.queued = scratch.zeroBytes(tokens.length, wipe)
    this.given = scratch.zeroBytes(tokens.length, wipe)
    this.found = scratch.ints(graph.topology.from.length)
    this.paying = scratch.ints(graph.topology.from.length)
    this.brings = scratch.floats(graph.topology.from.length)
    this.edges = scratch.ints(graph.topology.from.length)
    this.earnings = scratch.floats(graph.topology.from.length)
  }

  /**
   * Finds the edges on ways from priced tokens that bring more than they cost.
   *
   * @param labels - bounds on what tokens bring
   * @returns false where more edges than so many pay
   */
  grow(priced: readonly Priced[], labels: Grower['labels'], most = Number.POSITIVE_INFINITY): boolean {
    const { ends, maxHops } = this.growth
    const { units, depth, given, queued, looks, reached } = this
    for (let k = 0; k < this.reachedCount; k++) {
      const token = reached[k]!
      units[token] = depth[token] = given[token] = queued[token] = 0
    }
    this.labels = labels
    this.size = this.lookCount = this.followingCount = this.reachedCount = 0
    for (const { token, price } of priced) {
      reached[this.reachedCount++] = token
      this.following[this.followingCount++] = token
      units[token] = 1 / price
      given[token] = 1
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
        if (this.size > most) return false
      }
    }
    return true
  }

  /** Those of the edges found that may earn the least; until others are sought. */
  earning(least: number): Candidates {
    const { graph, units, paying, brings, edges, earnings } = this
    const { from } = graph.topology
    const { mostConductance } = graph
    const found = this.collect()
    let count = 0
    for (let k = 0; k < found; k++) {
      const edge = paying[k]!
      const own = units[from[edge]!]!
      const fall = Math.sqrt(own * brings[k]!) - 1
      const earning = (2 * mostConductance[edge]! * fall * fall) / own
      if (!(earning >= least)) continue
      edges[count] = edge
      earnings[count++] = earning
    }
    return { edges: edges.subarray(0, count), earnings: earnings.subarray(0, count) }
  }

  /**
   * The most that the edges found earn together: at prices, of tokens that have none, half-way between what they cost and what they bring.
   *
   * @param inside - 1 for tokens that have prices of which no more is known than those bounds
   * @param known - 1 for edges that are counted elsewhere
   */
  earnedBeyond(inside: Uint8Array, known: Uint8Array): number {
    const { graph, growth, units, given, paying } = this
    const { from, to } = graph.topology
    const { best } = this.labels
    const { rate, mostConductance } = graph
    const found = this.collect()
    const isBetween = (token: number) => given[token] === 0 && inside[token] === 0 && token !== growth.ends.target
    let sum = 0
    for (let k = 0; k < found; k++) {
      const edge = paying[k]!
      if (known[edge] === 1) continue
      const sold = from[edge]!
      const bought = to[edge]!
      const price = isBetween(sold) ? Math.sqrt(best[sold]! / units[sold]!) : 1 / units[sold]!
      const worth = given[bought] === 1 ? 1 / units[bought]! : best[bought]!
      const value = rate[edge]! * (isBetween(bought) ? Math.sqrt(worth / units[bought]!) : worth)
      if (!(value > price)) continue
      const fall = Math.sqrt(value / price) - 1
      sum += 2 * mostConductance[edge]! * price * fall * fall
    }
    return sum
  }

  private look(token: number): void {
    const { graph, growth, units } = this
    const { offset } = graph.topology
    const [start, end] = [offset[token]!, offset[token + 1]!]
    this.makeRoom(end - start)
    // The source may be any token: what leads from it is not asked whom it trusts.
    const { rate } = token === growth.ends.source ? graph : growth.between
    const { blocks } = this.labels
    // Labels that are made for one look are not worth it.
    if (!blocks || token === growth.ends.source || end - start < WORTH_BLOCKS * BLOCK) {
      this.lookAt(token, start, end, rate)
      return
    }
    const most = this.blocksOf(blocks, token, start, end)
    const needed = 1 / units[token]!
    growth.budget.spend(most.length)
    for (let block = 0; block < most.length; block++)
      if (most[block]! > needed)
        this.lookAt(token, start + block * BLOCK, Math.min(end, start + (block + 1) * BLOCK), rate)
  }

  /** The most that the first unit brings by any edge of each block; found out once for the labels. */
  private blocksOf(blocks: TargetLabels['blocks'], token: number, start: number, end: number): Float64Array {
    const known = blocks.get(token)
    if (known) return known
    const { to } = this.graph.topology
    const { rate } = this.growth.between
    const { best } = this.labels
    const most = new Float64Array(Math.ceil((end - start) / BLOCK))
    for (let edge = start; edge < end; edge++) {
      const value = rate[edge]! * best[to[edge]!]!
      const block = Math.floor((edge - start) / BLOCK)
      if (value > most[block]!) most[block] = value
    }
    blocks.set(token, most)
    return most
  }

  private lookAt(token: number, start: number, end: number, rates: Float64Array): void {
    const { graph, growth, units, depth, queued, given, found, reached, following } = this
    const { to } = graph.topology
    const { best, hops } = this.labels
    const { source, target } = growth.ends
    const own = units[token]!
    const furthest = growth.maxHops - 1 - depth[token]!
    growth.budget.spend(1 + (end - start) / 4)
    let { size } = this
    for (let edge = start; edge < end; edge++) {
      const label = own * rates[edge]!
      const other = to[edge]!
      if (!(label * best[other]! > 1 + EDGE_GAIN) || hops[other]! > furthest || other === source) continue
      found[size++] = edge
      if (given[other] === 1 || other === target) continue
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
    if (this.size + edges <= this.found.length) return
    const more = this.graph.topology.scratch.ints(2 * this.found.length)
    more.set(this.found)
    this.found = more
  }

  /** Puts the edges found into `paying`, and what they bring into `brings`. @returns their number */
  private collect(): number {
    const { graph, growth, units, found, looks, paying, brings } = this
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
        const edge = found[k]!
        paying[count] = edge
        brings[count++] = rate[edge]! * best[to[edge]!]!
      }
    }
    // Nor is what leads to the target asked.
    if (growth.between.rate === graph.rate) return count
    for (let back = offset[target]!; back < offset[target + 1]!; back++) {
      const edge = reverse[back]!
      if (growth.between.rate[edge] !== 0 || from[edge] === source) continue
      if (!(graph.rate[edge]! * units[from[edge]!]! > 1 + EDGE_GAIN)) continue
      paying[count] = edge
      brings[count++] = graph.rate[edge]!
    }
    return count
  }
}
