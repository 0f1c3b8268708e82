/** Edges that could pay around priced tokens of a large graph, by bounds as tight as they have to be. */
import type { Graph } from '../graph/graph.ts'
import { LABEL_GAIN } from '../tolerances.ts'
import type { Candidates } from './candidates.ts'
import { Grower, type Growth } from './grower.ts'
import { type Priced, valuesFrom } from './labels.ts'
import { LOOSE_EDGES, MOST_RISE } from './tolerances.ts'

type Tight = { readonly grower: Grower; readonly best: Float64Array; readonly priced: readonly Priced[] }

export class Surroundings {
  private readonly graph: Graph
  private readonly growth: Growth
  private readonly loose: Grower
  private tight: Tight | null = null

  constructor(graph: Graph, growth: Growth) {
    this.graph = graph
    this.growth = growth
    this.loose = new Grower(graph, growth)
  }

  /**
   * The edges that may earn the least. Where a pool at an end is traded far, spot rates through it bound next to nothing: the values
   * behind the priced tokens are measured over the whole graph.
   *
   * @param least - what an edge must be able to earn, in output base units
   */
  around(priced: readonly Priced[], least: number): Candidates {
    const few = this.tight ? null : this.loose.from(priced, least, LOOSE_EDGES)
    if (few) return few
    const { grower, lower } = this.tightened(priced, MOST_RISE)
    return grower.from(lower, least)!
  }

  /**
   * The most that edges earn together at prices.
   *
   * @param inside - tokens whose prices are set elsewhere, between those bounds
   * @param known - edges that are counted elsewhere
   */
  earnedBeyond(priced: readonly Priced[], inside: ReadonlySet<number>, known: ReadonlySet<number>): number {
    const few = this.tight ? null : this.loose.from(priced, 0, LOOSE_EDGES)
    if (few) return this.loose.earnedBeyond(priced, inside, known)
    const { grower, lower } = this.tightened(priced, 1 + LABEL_GAIN)
    return grower.earnedBeyond(lower, inside, known)
  }

  /** @param most - factor by which prices may have risen since values were measured */
  private tightened(priced: readonly Priced[], most: number) {
    let rise = this.rise(priced)
    if (!(rise <= most)) {
      this.measure(priced)
      rise = 1
    }
    return { grower: this.tight!.grower, lower: priced.map(({ token, price }) => ({ token, price: price / rise })) }
  }

  /** The factor by which prices have risen at most since values were measured; ∞ where one of them has gone. */
  private rise(priced: readonly Priced[]): number {
    const { tight } = this
    const now = new Set(priced.map(({ token }) => token))
    if (!tight?.priced.every(({ token }) => now.has(token))) return Number.POSITIVE_INFINITY
    return priced.reduce((most, { token, price }) => Math.max(most, price / tight.best[token]!), 1)
  }

  private measure(priced: readonly Priced[]): void {
    const { graph, growth } = this
    const { ends, maxHops, between, budget, labels } = growth
    const { best } = valuesFrom(graph, between, { priced, target: ends.target, maxHops }, budget)
    const grower = new Grower(graph, { ...growth, labels: { best, hops: labels.hops, blocks: new Map() } })
    this.tight = { grower, best, priced }
  }
}
