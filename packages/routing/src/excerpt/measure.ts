/** Values of all tokens of a large graph at the prices of some. */
import type { Graph } from '../graph/graph.ts'
import { LABEL_GAIN } from '../tolerances.ts'
import type { Growth } from './grower.ts'
import { hubsOf } from './hubs.ts'
import type { Priced } from './labels.ts'

type Around = Omit<Growth, 'labels'>

/**
 * The most that each token brings by ways to priced ones, which bring their prices. Most edges join a token with a hub: what they bring
 * is told when the value of the hub has risen, and only edges between other tokens are looked at in each round.
 *
 * @param best - where it is put
 */
export function measureValues(graph: Graph, growth: Around, priced: readonly Priced[], best: Float64Array): void {
  const { topology } = graph
  best.fill(0)
  topology.scratch.within(() => new Measure(graph, growth, best).run(priced))
}

class Measure {
  private readonly graph: Graph
  private readonly growth: Around
  private readonly best: Float64Array
  /** 1 for tokens that have prices. */
  private readonly given: Uint8Array

  constructor(graph: Graph, growth: Around, best: Float64Array) {
    const { tokens, scratch } = graph.topology
    this.graph = graph
    this.growth = growth
    this.best = best
    this.given = scratch.bytes(tokens.length, 0)
  }

  run(priced: readonly Priced[]): void {
    const { best, given } = this
    for (const { token, price } of priced) {
      best[token] = price
      given[token] = 1
    }
    for (const { token } of priced) this.spread(token)
    const hubs = hubsOf(this.graph.topology)
    /** Hubs without a price, with the values that the tokens around them know. */
    const told = new Map(hubs.tokens.filter((hub) => given[hub] === 0).map((hub) => [hub, 0]))
    let isMoving = true
    for (let round = 1; round < this.growth.maxHops && isMoving; round++) {
      isMoving = this.correct(hubs.others)
      for (const [hub, known] of told) {
        this.look(hub)
        if (!(best[hub]! > known * (1 + LABEL_GAIN))) continue
        told.set(hub, best[hub]!)
        this.spread(hub)
        isMoving = true
      }
    }
  }

  /** Corrects the values of all tokens that lead to one. */
  private spread(token: number): void {
    const { graph, growth, best, given } = this
    const { offset, to } = graph.topology
    // The target may be any token: what leads to it is not asked whom it trusts.
    const { rateBack } = token === growth.ends.target ? graph : growth.between
    const value = best[token]!
    const end = offset[token + 1]!
    growth.budget.spend(1 + end - offset[token]!)
    for (let edge = offset[token]!; edge < end; edge++) {
      const label = rateBack[edge]! * value
      const other = to[edge]!
      if (label > best[other]! && given[other] === 0) best[other] = label
    }
  }

  /** Corrects the values at the beginnings of edges; true where one was. */
  private correct(edges: Int32Array): boolean {
    const { graph, growth, best, given } = this
    const { from, to } = graph.topology
    const { rate } = growth.between
    growth.budget.spend(edges.length)
    let isMoved = false
    for (let k = 0; k < edges.length; k++) {
      const edge = edges[k]!
      const label = rate[edge]! * best[to[edge]!]!
      const token = from[edge]!
      if (!(label > best[token]! * (1 + LABEL_GAIN)) || given[token] === 1) continue
      best[token] = label
      isMoved = true
    }
    return isMoved
  }

  /** Corrects the value of one token. */
  private look(token: number): void {
    const { graph, growth, best } = this
    const { offset, to } = graph.topology
    const { rate } = growth.between
    const end = offset[token + 1]!
    growth.budget.spend(1 + end - offset[token]!)
    let most = best[token]!
    for (let edge = offset[token]!; edge < end; edge++) most = Math.max(most, rate[edge]! * best[to[edge]!]!)
    best[token] = most
  }
}
