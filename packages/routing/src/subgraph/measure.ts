/** Values of all tokens of a large graph at the prices of some. */
import type { Graph } from '../graph/graph.ts'
import { LABEL_GAIN } from '../tolerances.ts'
import type { ExpansionTerms } from './expander.ts'
import { hubsOf } from './hubs.ts'
import type { TokenAtPrice } from './labels.ts'

type Around = Omit<ExpansionTerms, 'labels'>

/**
 * Computes the maximum value of each token over paths to priced tokens. Most edges join a token with a hub: they are
 * updated when the hub's value rises, and each round scans only the edges between other tokens.
 *
 * @param best - output array
 */
export function measureValues(
  graph: Graph,
  growth: Around,
  pricedTokens: readonly TokenAtPrice[],
  best: Float64Array,
): void {
  const { topology } = graph
  best.fill(0)
  topology.scratch.within(() => new Measure(graph, growth, best).run(pricedTokens))
}

class Measure {
  private readonly graph: Graph
  private readonly growth: Around
  private readonly best: Float64Array
  /** 1 for tokens with given prices. */
  private readonly hasPrice: Uint8Array

  constructor(graph: Graph, growth: Around, best: Float64Array) {
    const { tokens, scratch } = graph.topology
    this.graph = graph
    this.growth = growth
    this.best = best
    this.hasPrice = scratch.bytes(tokens.length, 0)
  }

  run(pricedTokens: readonly TokenAtPrice[]): void {
    const { best, hasPrice } = this
    for (const { token, price } of pricedTokens) {
      best[token] = price
      hasPrice[token] = 1
    }
    for (const { token } of pricedTokens) this.spread(token)
    const hubs = hubsOf(this.graph.topology)
    /** Hubs without a given price, with the value last propagated to their neighbors. */
    const spreadValues = new Map(hubs.tokens.filter((hub) => hasPrice[hub] === 0).map((hub) => [hub, 0]))
    let isMoving = true
    for (let round = 1; round < this.growth.maxHops && isMoving; round++) {
      isMoving = this.correct(hubs.others)
      for (const [hub, spreadValue] of spreadValues) {
        this.look(hub)
        if (!(best[hub]! > spreadValue * (1 + LABEL_GAIN))) continue
        spreadValues.set(hub, best[hub]!)
        this.spread(hub)
        isMoving = true
      }
    }
  }

  /** Updates the values of all tokens with an edge into this one. */
  private spread(token: number): void {
    const { graph, growth, best, hasPrice } = this
    const { offset, to } = graph.topology
    // The target may be any token, so the trust rule does not apply to its incoming edges.
    const { rateBack } = token === growth.ends.target ? graph : growth.intermediateRates
    const value = best[token]!
    const end = offset[token + 1]!
    growth.budget.spend(1 + end - offset[token]!)
    for (let edge = offset[token]!; edge < end; edge++) {
      const label = rateBack[edge]! * value
      const other = to[edge]!
      if (label > best[other]! && hasPrice[other] === 0) best[other] = label
    }
  }

  /** Updates the values of the tokens that these edges sell. Returns true if one changed. */
  private correct(edges: Int32Array): boolean {
    const { graph, growth, best, hasPrice } = this
    const { from, to } = graph.topology
    const { rate } = growth.intermediateRates
    growth.budget.spend(edges.length)
    let isMoved = false
    for (let k = 0; k < edges.length; k++) {
      const edge = edges[k]!
      const label = rate[edge]! * best[to[edge]!]!
      const token = from[edge]!
      if (!(label > best[token]! * (1 + LABEL_GAIN)) || hasPrice[token] === 1) continue
      best[token] = label
      isMoved = true
    }
    return isMoved
  }

  /** Updates the value of one token. */
  private look(token: number): void {
    const { graph, growth, best } = this
    const { offset, to } = graph.topology
    const { rate } = growth.intermediateRates
    const end = offset[token + 1]!
    growth.budget.spend(1 + end - offset[token]!)
    let max = best[token]!
    for (let edge = offset[token]!; edge < end; edge++) max = Math.max(max, rate[edge]! * best[to[edge]!]!)
    best[token] = max
  }
}
