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

  constructor(graph: Graph, growth: Growth) {
    const { tokens, scratch } = graph.topology
    this.graph = graph
    this.growth = growth
    const wipe = (array: Float64Array | Uint8Array) => {
      for (const token of this.reached) array[token] = 0
    }
    this.units = scratch.zeroFloats(tokens.length, wipe)
    this.depth = scratch.zeroBytes(tokens.length, wipe)
    this.queued = scratch.zeroBytes(tokens.length, wipe)
    this.given = scratch.zeroBytes(tokens.length, wipe)
    this.found = scratch.ints(graph.topology.from.length)
  }

  /**
   * Edges on ways from priced tokens that bring more at spot rates than they cost, and that may earn the least.
   *
   * @returns null where more edges than so many pay
   */
  from(priced: readonly Priced[], least: number, most = Number.POSITIVE_INFINITY): Candidates | null {
    const { ends, maxHops } = this.growth
    const { units, depth, given, queued } = this
    for (const token of this.reached) units[token] = depth[token] = given[token] = queued[token] = 0
    this.reached = []
    this.size = 0
    for (const { token, price } of priced) {
      this.reached.push(token)
      units[token] = 1 / price
      given[token] = 1
      depth[token] = token === ends.source ? 0 : 1
    }
    const looks: Look[] = []
    let layer = this.reached.slice()
    for (let round = 0; round < maxHops && layer.length > 0; round++) {
      const following: number[] = []
      for (const token of layer) {
        queued[token] = 0
        if (token === ends.target) continue
        const start = this.size
        this.look(token, following)
        if (this.size > start) looks.push({ token, units: units[token]!, start, end: this.size })
        if (this.size > most) return null
      }
      layer = following
    }
    return this.collected(looks, least)
  }

  /**
   * The most that edges earn together at prices: of tokens that have none, half-way between what they cost and what they bring.
   *
   * @param inside - tokens that have prices of which no more is known than those bounds
   * @param known - edges that are counted elsewhere
   */
  earnedBeyond(priced: readonly Priced[], inside: ReadonlySet<number>, known: ReadonlySet<number>): number {
    const { graph, growth, units, given } = this
    const { edges } = this.from(priced, 0)!
    const { from, to } = graph.topology
    const { best } = growth.labels
    const { rate, mostConductance } = graph
    const isBetween = (token: number) => given[token] === 0 && !inside.has(token) && token !== growth.ends.target
    let sum = 0
    for (const edge of edges) {
      if (known.has(edge)) continue
      const [sold, bought] = [from[edge]!, to[edge]!]
      const price = isBetween(sold) ? Math.sqrt(best[sold]! / units[sold]!) : 1 / units[sold]!
      const worth = given[bought] === 1 ? 1 / units[bought]! : best[bought]!
      const value = rate[edge]! * (isBetween(bought) ? Math.sqrt(worth / units[bought]!) : worth)
      if (!(value > price)) continue
      const fall = Math.sqrt(value / price) - 1
      sum += 2 * mostConductance[edge]! * price * fall * fall
    }
    return sum
  }

  private look(token: number, following: number[]): void {
    const { graph, growth, units } = this
    const { offset } = graph.topology
    const [start, end] = [offset[token]!, offset[token + 1]!]
    this.makeRoom(end - start)
    // The source may be any token: what leads from it is not asked whom it trusts.
    const { rate } = token === growth.ends.source ? graph : growth.between
    if (token === growth.ends.source || end - start < WORTH_BLOCKS * BLOCK) {
      this.lookAt(token, start, end, rate, following)
      return
    }
    const most = this.blocksOf(token, start, end)
    const needed = 1 / units[token]!
    growth.budget.spend(most.length)
    for (let block = 0; block < most.length; block++)
      if (most[block]! > needed)
        this.lookAt(token, start + block * BLOCK, Math.min(end, start + (block + 1) * BLOCK), rate, following)
  }

  /** The most that the first unit brings by any edge of each block; found out once for the labels. */
  private blocksOf(token: number, start: number, end: number): Float64Array {
    const { labels, between } = this.growth
    const known = labels.blocks.get(token)
    if (known) return known
    const { to } = this.graph.topology
    const { rate } = between
    const { best } = labels
    const most = new Float64Array(Math.ceil((end - start) / BLOCK))
    for (let edge = start; edge < end; edge++) {
      const value = rate[edge]! * best[to[edge]!]!
      const block = Math.floor((edge - start) / BLOCK)
      if (value > most[block]!) most[block] = value
    }
    labels.blocks.set(token, most)
    return most
  }

  private lookAt(token: number, start: number, end: number, rates: Float64Array, following: number[]): void {
    const { graph, growth, units, depth, queued, given, found } = this
    const { to } = graph.topology
    const { best, hops } = growth.labels
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

  private collected(looks: readonly Look[], least: number): Candidates {
    const { graph, growth, units, found } = this
    const { to, from, offset, reverse } = graph.topology
    const { best } = growth.labels
    const { source, target } = growth.ends
    const { mostConductance } = graph
    const edges: number[] = []
    const earnings: number[] = []
    const take = (edge: number, gain: number, own: number) => {
      const fall = Math.sqrt(gain) - 1
      const earning = (2 * mostConductance[edge]! * fall * fall) / own
      if (!(earning >= least)) return
      edges.push(edge)
      earnings.push(earning)
    }
    for (const { token, units: own, start, end } of looks) {
      if (own !== units[token]) continue
      const { rate } = token === source ? graph : growth.between
      growth.budget.spend(end - start)
      for (let k = start; k < end; k++) {
        const edge = found[k]!
        take(edge, own * rate[edge]! * best[to[edge]!]!, own)
      }
    }
    // Nor is what leads to the target.
    if (growth.between.rate !== graph.rate)
      for (let back = offset[target]!; back < offset[target + 1]!; back++) {
        const edge = reverse[back]!
        const own = from[edge] === source ? 0 : units[from[edge]!]!
        const gain = graph.rate[edge]! * own
        if (growth.between.rate[edge] === 0 && gain > 1 + EDGE_GAIN) take(edge, gain, own)
      }
    return { edges: Int32Array.from(edges), earnings: Float64Array.from(earnings) }
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
