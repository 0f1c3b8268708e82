/**
 * Computes the maximum values of all tokens of a large graph from the prices of some tokens. An edge is a pool in one
 * direction. A hub is one of the tokens with the most edges. Called by `neighborhood.ts`.
 */
import type { Graph } from '../graph/graph.ts'
import { MIN_LABEL_GAIN } from '../tolerances.ts'
import type { ExpansionContext } from './expander.ts'
import { hubsOf } from './hubs.ts'
import type { TokenAtPrice } from './labels.ts'

type ExpansionOptions = Omit<ExpansionContext, 'labels'>

/**
 * Computes the maximum value of each token over paths to priced tokens. Each round scans the edges between tokens that
 * are not hubs. Edges to a hub, which are most edges, are scanned only if the value of the hub has risen.
 *
 * @param maxValues - set in place: values by token, in output base units
 */
export function measureValues(
  graph: Graph,
  expansion: ExpansionOptions,
  pricedTokens: readonly TokenAtPrice[],
  maxValues: Float64Array,
): void {
  const { topology } = graph
  maxValues.fill(0)
  topology.scratch.within(() => new ValueMeasurement(graph, expansion, maxValues).measure(pricedTokens))
}

class ValueMeasurement {
  private readonly graph: Graph
  private readonly expansion: ExpansionOptions
  private readonly maxValues: Float64Array
  /** By token: 1 if its price is given. */
  private readonly hasPrice: Uint8Array

  constructor(graph: Graph, expansion: ExpansionOptions, maxValues: Float64Array) {
    const { tokens, scratch } = graph.topology
    this.graph = graph
    this.expansion = expansion
    this.maxValues = maxValues
    this.hasPrice = scratch.bytes(tokens.length, 0)
  }

  measure(pricedTokens: readonly TokenAtPrice[]): void {
    const { maxValues, hasPrice } = this
    for (const { token, price } of pricedTokens) {
      maxValues[token] = price
      hasPrice[token] = 1
    }
    for (const { token } of pricedTokens) this.propagate(token)
    const hubs = hubsOf(this.graph.topology)
    /** Hubs without a given price, with the value last propagated to their neighbors. */
    const propagatedValues = new Map(hubs.tokens.filter((hub) => hasPrice[hub] === 0).map((hub) => [hub, 0]))
    let hasChanged = true
    for (let round = 1; round < this.expansion.maxHops && hasChanged; round++) {
      hasChanged = this.updateSellers(hubs.outerEdges)
      for (const [hub, propagatedValue] of propagatedValues) {
        this.updateToken(hub)
        if (!(maxValues[hub]! > propagatedValue * (1 + MIN_LABEL_GAIN))) continue
        propagatedValues.set(hub, maxValues[hub]!)
        this.propagate(hub)
        hasChanged = true
      }
    }
  }

  /** Raises the values of the neighbors of a token: the tokens that an edge sells for it. */
  private propagate(token: number): void {
    const { graph, expansion, maxValues, hasPrice } = this
    const { offset, to } = graph.topology
    // The target may be any token, so the trust rule does not apply to its incoming edges.
    const { rateBack } = token === expansion.ends.target ? graph : expansion.intermediateRates
    const value = maxValues[token]!
    const end = offset[token + 1]!
    expansion.budget.spend(1 + end - offset[token]!)
    for (let edge = offset[token]!; edge < end; edge++) {
      const label = rateBack[edge]! * value
      const neighbor = to[edge]!
      if (label > maxValues[neighbor]! && hasPrice[neighbor] === 0) maxValues[neighbor] = label
    }
  }

  /** Raises the values of the tokens that these edges sell. Returns true if a value changed. */
  private updateSellers(edges: Int32Array): boolean {
    const { graph, expansion, maxValues, hasPrice } = this
    const { from, to } = graph.topology
    const { rate } = expansion.intermediateRates
    expansion.budget.spend(edges.length)
    let hasChanged = false
    for (let k = 0; k < edges.length; k++) {
      const edge = edges[k]!
      const label = rate[edge]! * maxValues[to[edge]!]!
      const token = from[edge]!
      if (!(label > maxValues[token]! * (1 + MIN_LABEL_GAIN)) || hasPrice[token] === 1) continue
      maxValues[token] = label
      hasChanged = true
    }
    return hasChanged
  }

  /** Raises the value of one token to the value that its best outgoing edge gives it. */
  private updateToken(token: number): void {
    const { graph, expansion, maxValues } = this
    const { offset, to } = graph.topology
    const { rate } = expansion.intermediateRates
    const end = offset[token + 1]!
    expansion.budget.spend(1 + end - offset[token]!)
    let maxValue = maxValues[token]!
    for (let edge = offset[token]!; edge < end; edge++)
      maxValue = Math.max(maxValue, rate[edge]! * maxValues[to[edge]!]!)
    maxValues[token] = maxValue
  }
}
