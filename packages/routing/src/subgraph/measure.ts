/** Measures the values of all tokens of a large graph, given the prices of some tokens. */
import type { Graph } from '../graph/graph.ts'
import { LABEL_GAIN } from '../tolerances.ts'
import type { ExpansionTerms } from './expander.ts'
import { hubsOf } from './hubs.ts'
import type { TokenAtPrice } from './labels.ts'

type ExpansionOptions = Omit<ExpansionTerms, 'labels'>

/**
 * Computes the maximum value of each token over paths to priced tokens. Most edges join a token with a hub. These edges
 * are scanned only when the hub's value rises, while each round scans the edges between other tokens.
 *
 * @param best - output array
 */
export function measureValues(
  graph: Graph,
  expansion: ExpansionOptions,
  pricedTokens: readonly TokenAtPrice[],
  best: Float64Array,
): void {
  const { topology } = graph
  best.fill(0)
  topology.scratch.within(() => new ValueMeasurement(graph, expansion, best).measure(pricedTokens))
}

class ValueMeasurement {
  private readonly graph: Graph
  private readonly expansion: ExpansionOptions
  private readonly bestValues: Float64Array
  /** 1 for tokens with given prices. */
  private readonly hasPrice: Uint8Array

  constructor(graph: Graph, expansion: ExpansionOptions, best: Float64Array) {
    const { tokens, scratch } = graph.topology
    this.graph = graph
    this.expansion = expansion
    this.bestValues = best
    this.hasPrice = scratch.bytes(tokens.length, 0)
  }

  measure(pricedTokens: readonly TokenAtPrice[]): void {
    const { bestValues, hasPrice } = this
    for (const { token, price } of pricedTokens) {
      bestValues[token] = price
      hasPrice[token] = 1
    }
    for (const { token } of pricedTokens) this.propagate(token)
    const hubs = hubsOf(this.graph.topology)
    /** Hubs without a given price, with the value last propagated to their neighbors. */
    const spreadValues = new Map(hubs.tokens.filter((hub) => hasPrice[hub] === 0).map((hub) => [hub, 0]))
    let hasChanged = true
    for (let round = 1; round < this.expansion.maxHops && hasChanged; round++) {
      hasChanged = this.updateSellers(hubs.outerEdges)
      for (const [hub, spreadValue] of spreadValues) {
        this.updateToken(hub)
        if (!(bestValues[hub]! > spreadValue * (1 + LABEL_GAIN))) continue
        spreadValues.set(hub, bestValues[hub]!)
        this.propagate(hub)
        hasChanged = true
      }
    }
  }

  /** Updates the values of all tokens with an edge into this one. */
  private propagate(token: number): void {
    const { graph, expansion, bestValues, hasPrice } = this
    const { offset, to } = graph.topology
    // The target may be any token, so the trust rule does not apply to its incoming edges.
    const { rateBack } = token === expansion.ends.target ? graph : expansion.intermediateRates
    const value = bestValues[token]!
    const end = offset[token + 1]!
    expansion.budget.spend(1 + end - offset[token]!)
    for (let edge = offset[token]!; edge < end; edge++) {
      const label = rateBack[edge]! * value
      const other = to[edge]!
      if (label > bestValues[other]! && hasPrice[other] === 0) bestValues[other] = label
    }
  }

  /** Updates the values of the tokens that these edges sell. Returns true if one changed. */
  private updateSellers(edges: Int32Array): boolean {
    const { graph, expansion, bestValues, hasPrice } = this
    const { from, to } = graph.topology
    const { rate } = expansion.intermediateRates
    expansion.budget.spend(edges.length)
    let hasChanged = false
    for (let k = 0; k < edges.length; k++) {
      const edge = edges[k]!
      const label = rate[edge]! * bestValues[to[edge]!]!
      const token = from[edge]!
      if (!(label > bestValues[token]! * (1 + LABEL_GAIN)) || hasPrice[token] === 1) continue
      bestValues[token] = label
      hasChanged = true
    }
    return hasChanged
  }

  /** Updates the value of one token. */
  private updateToken(token: number): void {
    const { graph, expansion, bestValues } = this
    const { offset, to } = graph.topology
    const { rate } = expansion.intermediateRates
    const end = offset[token + 1]!
    expansion.budget.spend(1 + end - offset[token]!)
    let max = bestValues[token]!
    for (let edge = offset[token]!; edge < end; edge++) max = Math.max(max, rate[edge]! * bestValues[to[edge]!]!)
    bestValues[token] = max
  }
}
