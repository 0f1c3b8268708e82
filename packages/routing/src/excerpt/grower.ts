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

/** Edges found at a cost of their token: void once it is reached for less, and looked at again. */
type Look = { readonly token: number; readonly units: number; readonly start: number; readonly end: number }

export class Grower {
  private readonly graph: Graph
  private readonly growth: Growth
  /** Units of a token for one of the output, at the least that it costs; 0 where none is reached. */
  private readonly units: Float64Array
  /** Edges from the source, at least. */
  private readonly depth: Uint8Array
  private readonly queued: Uint8Array
  private readonly given: Uint8Array
  private reached: number[] = []
  private found: Int32Array
  private size = 0
  private looks: Look[] = []
  private labels: Pick<TargetLabels, 'best' | 'hops'> & Partial<TargetLabels>
  private readonly edges: Int32Array
  private readonly earnings: Float64Array

  constructor(graph: Graph, growth: Growth) {
    const { tokens, scratch } = graph.topology
    this.graph = graph
    this.growth = growth
    this.labels = growth.labels
    const wipe = (array: Float64Array | Uint8Array) => {
      for (const token of this.reached) array[token] = 0
    }
    this.units = scratch.zeroFloats(tokens.length, wipe)
    this.depth = scratch.zeroBytes(tokens.length, wipe)
    this.queued = scratch.zeroBytes(tokens.length, wipe)
    this.given = scratch.zeroBytes(tokens.length, wipe)
    this.found = scratch.ints(graph.topology.from.length)
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
    const { units, depth, given, queued } = this
    for (const token of this.reached) units[token] = depth[token] = given[token] = queued[token] = 0
    this.labels = labels
    this.reached = []
    this.looks = []
    this.size = 0
    for (const { token, price } of priced) {
      this.reached.push(token)
      units[token] = 1 / price
      given[token] = 1
      depth[token] = token === ends.source ? 0 : 1
    }
    let layer = this.reached.slice()
    for (let round = 0; round < maxHops && layer.length > 0; round++) {
      const following: number[] = []
      for (const token of layer) {
        queued[token] = 0
        if (token === ends.target) continue
        const start = this.size
        this.look(token, following)
        if (this.size > start) this.looks.push({ token, units: units[token]!, start, end: this.size })
        if (this.size > most) return false
      }
      layer = following
    }
    return true
  }

  /** Those of the edges found that may earn the least; until others are sought. */
  earning(least: number): Candidates {
    const { graph, units, edges, earnings } = this
    const { from } = graph.topology
    const { mostConductance } = graph
    let count = 0
    this.eachFound((edge, value) => {
      const own = units[from[edge]!]!
      const fall = Math.sqrt(own * value) - 1
      const earning = (2 * mostConductance[edge]! * fall * fall) / own
      if (!(earning >= least)) return
      edges[count] = edge
      earnings[count++] = earning
    })
    return { edges: edges.subarray(0, count), earnings: earnings.subarray(0, count) }
  }

  /**
   * The most that the edges found earn together: at prices, of tokens that have none, half-way between what they cost and what they bring.
   *
   * @param inside - 1 for tokens that have prices of which no more is known than those bounds
   * @param known - 1 for edges that are counted elsewhere
   */
  earnedBeyond(inside: Uint8Array, known: Uint8Array): number {
    const { graph, growth, units, given } = this
    const { from, to } = graph.topology
    const { best } = this.labels
    const { rate, mostConductance } = graph
    const isBetween = (token: number) => given[token] === 0 && inside[token] === 0 && token !== growth.ends.target
    let sum = 0
    this.eachFound((edge) => {
      if (known[edge] === 1) return
      const [sold, bought] = [from[edge]!, to[edge]!]
      const price = isBetween(sold) ? Math.sqrt(best[sold]! / units[sold]!) : 1 / units[sold]!
      const worth = given[bought] === 1 ? 1 / units[bought]! : best[bought]!
      const value = rate[edge]! * (isBetween(bought) ? Math.sqrt(worth / units[bought]!) : worth)
      if (!(value > price)) return
      const fall = Math.sqrt(value / price) - 1
      sum += 2 * mostConductance[edge]! * price * fall * fall
    })
    return sum
  }

  private look(token: number, following: number[]): void {
    const { graph, growth, units } = this
    const { offset } = graph.topology
    const [start, end] = [offset[token]!, offset[token + 1]!]
    this.makeRoom(end - start)
    // The source may be any token: what leads from it is not asked whom it trusts.
    const { rate } = token === growth.ends.source ? graph : growth.between
    const { blocks } = this.labels
    // Labels that are made for one look are not worth it.
    if (!blocks || token === growth.ends.source || end - start < WORTH_BLOCKS * BLOCK) {
      this.lookAt(token, start, end, rate, following)
      return
    }
    const most = this.blocksOf(blocks, token, start, end)
    const needed = 1 / units[token]!
    growth.budget.spend(most.length)
    for (let block = 0; block < most.length; block++)
      if (most[block]! > needed)
        this.lookAt(token, start + block * BLOCK, Math.min(end, start + (block + 1) * BLOCK), rate, following)
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

  private lookAt(token: number, start: number, end: number, rates: Float64Array, following: number[]): void {
    const { graph, growth, units, depth, queued, given, found } = this
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
        this.reached.push(other)
        depth[other] = depth[token]! + 1
      }
      if (queued[other] === 1) continue
      queued[other] = 1
      following.push(other)
    }
    this.size = size
  }

  private makeRoom(edges: number): void {
    if (this.size + edges <= this.found.length) return
    const more = this.graph.topology.scratch.ints(2 * this.found.length)
    more.set(this.found)
    this.found = more
  }

  /** Tells each edge found, and what the first unit through it brings. */
  private eachFound(tell: (edge: number, value: number) => void): void {
    const { graph, growth, units, found } = this
    const { to, from, offset, reverse } = graph.topology
    const { best } = this.labels
    const { source, target } = growth.ends
    for (const { token, units: own, start, end } of this.looks) {
      if (own !== units[token]) continue
      const { rate } = token === source ? graph : growth.between
      growth.budget.spend(end - start)
      for (let k = start; k < end; k++) {
        const edge = found[k]!
        tell(edge, rate[edge]! * best[to[edge]!]!)
      }
    }
    // Nor is what leads to the target asked.
    if (growth.between.rate === graph.rate) return
    for (let back = offset[target]!; back < offset[target + 1]!; back++) {
      const edge = reverse[back]!
      if (growth.between.rate[edge] !== 0 || from[edge] === source) continue
      if (graph.rate[edge]! * units[from[edge]!]! > 1 + EDGE_GAIN) tell(edge, graph.rate[edge]!)
    }
  }
}

/** The best way from the source at spot rates; as far as it leads. */
export function bestWay(graph: Graph, { ends, labels, maxHops, between, budget }: Growth): readonly number[] {
  const { offset, to } = graph.topology
  const way: number[] = []
  let token = ends.source
  while (token !== ends.target && way.length < maxHops) {
    let [chosen, most] = [-1, 0]
    const { rate } = token === ends.source ? graph : between
    budget.spend(1 + (offset[token + 1]! - offset[token]!) / 4)
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
      const other = to[edge]!
      if (labels.hops[other]! > maxHops - 1 - way.length) continue
      const value = (other === ends.target ? graph.rate[edge]! : rate[edge]!) * labels.best[other]!
      if (value > most) [chosen, most] = [edge, value]
    }
    if (chosen < 0) break
    way.push(chosen)
    token = to[chosen]!
  }
  return way
}
