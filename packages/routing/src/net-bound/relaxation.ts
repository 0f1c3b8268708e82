/**
 * The relaxation of all routes that use some required edges and avoid some excluded edges. Its prices come from an
 * allocation: required edges and edges on a path trade on their price curves, and all other edges on their envelopes.
 */

import { type CompiledCurve, firstRate } from '../graph/price-curve.ts'
import type { SpotRates } from '../problem/potentials.ts'
import { curveOf, legBaseCost, type Problem } from '../problem/problem.ts'
import { Allocation } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import type { SharedPool } from '../solver/shared-pools.ts'
import { FEW_STEPS, NEGLIGIBLE_SHARE } from '../tolerances.ts'
import { type Envelope, envelopeOf } from './envelope.ts'
import { fillPrices, refillPrices } from './outer-prices.ts'
import { type NetBoundAtPrices, netBoundAtPrices } from './priced.ts'
import {
  EARNER_ROUNDS,
  MAX_COST_DIFFERENCE,
  MAX_EARNINGS_SHORTFALL,
  MAX_INITIAL_EARNERS,
  MAX_JOINING_EARNERS,
  MAX_RELAXED_RESIDUAL,
} from './tolerances.ts'

/** An edge whose cost the relaxation counts only in part, between 0 and 1. */
type Fraction = { readonly edge: number; readonly costFraction: number }
export type RelaxedBound = { readonly boundAtPrices: NetBoundAtPrices; readonly fractions: readonly Fraction[] }

export class Relaxation {
  private readonly problem: Problem
  private readonly allocation: Allocation
  private readonly curves = new Map<number, CompiledCurve>()
  private readonly rate: Float64Array
  private readonly prices: Float64Array
  /** Initial prices of a solution. */
  private readonly initialPrices: Float64Array
  /** Tokens of any earlier solution. */
  private readonly nearTokens = new Set<number>()
  private readonly envelopes = new Map<number, { readonly cost: number; readonly envelope: Envelope | null }>()
  /** Multi-token pools, as they trade at the prices. */
  private readonly sharedPools = new Map<string, SharedPool>()
  private hasFilledPrices = false
  private readonly original: Problem

  constructor(problem: Problem, backward: SpotRates) {
    const { scratch } = problem.graph.topology
    this.rate = scratch.copy(problem.rate)
    this.prices = scratch.floats(problem.graph.topology.tokens.length, 0)
    this.initialPrices = scratch.copy(backward.best)
    // The relaxation trades multi-token pools pair by pair: any prices give a valid bound.
    this.problem = { ...problem, rate: this.rate, adjustedCurves: this.curves, mayReusePools: false }
    this.allocation = new Allocation(this.problem)
    this.original = problem
  }

  /**
   * Solves a few rounds. Each round adds the edges that earned most in the previous round. Returns the lowest bound;
   * null if the edges form no path, a pool's earnings have no bound, or the work runs out.
   *
   * @param wholeEdges - edges that trade without an envelope
   * @param similarBound - earnings at similar prices: the highest earners join at the start
   * @param enoughBound - bound at which no further round is needed
   */
  solve(
    wholeEdges: ReadonlySet<number>,
    excludedEdges: ReadonlySet<number>,
    similarBound: NetBoundAtPrices | null,
    enoughBound: number,
  ): RelaxedBound | null {
    const includedEdges = new Set(wholeEdges)
    if (similarBound) this.addEarners(includedEdges, similarBound, excludedEdges, MAX_INITIAL_EARNERS)
    let best: RelaxedBound | null = null
    for (let round = 0; round < EARNER_ROUNDS; round++) {
      const nextBound = this.original.budget.attempt(
        1,
        () => this.relax(includedEdges, wholeEdges, excludedEdges),
        () => null,
      )
      if (!nextBound) break
      if (!best || nextBound.boundAtPrices.bound < best.boundAtPrices.bound) best = nextBound
      if (
        best.boundAtPrices.bound <= enoughBound ||
        !this.addEarners(includedEdges, nextBound.boundAtPrices, excludedEdges, MAX_JOINING_EARNERS)
      )
        break
    }
    return best
  }

  private relax(
    includedEdges: ReadonlySet<number>,
    wholeEdges: ReadonlySet<number>,
    excludedEdges: ReadonlySet<number>,
  ): RelaxedBound | null {
    const lineInputByEdge = this.buildAllocation(includedEdges, wholeEdges, excludedEdges)
    solve(this.allocation, MAX_RELAXED_RESIDUAL, FEW_STEPS)
    if (!this.setPrices(this.liveTokens(), excludedEdges)) return null
    const boundAtPrices = netBoundAtPrices(this.original, this.prices, this.sharedPools)
    return boundAtPrices && { boundAtPrices, fractions: this.fractionsOf(lineInputByEdge) }
  }

  /**
   * Adds the edges whose earnings exceed their cost most. Returns false if the added edges earn almost nothing above
   * their cost.
   */
  private addEarners(
    includedEdges: Set<number>,
    { base, earners }: NetBoundAtPrices,
    excludedEdges: ReadonlySet<number>,
    max: number,
  ): boolean {
    const nearEarners = earners
      .map((earner) => ({ ...earner, surplus: earner.earned - earner.cost }))
      .filter(
        ({ edges, surplus, cost }) =>
          surplus > -MAX_EARNINGS_SHORTFALL * cost &&
          edges.some((edge) => !includedEdges.has(edge) && !excludedEdges.has(edge)),
      )
      .sort((a, b) => b.surplus - a.surplus)
      .slice(0, max)
    let missingSurplus = 0
    for (const { edges, surplus } of nearEarners) {
      missingSurplus += Math.max(0, surplus)
      for (const edge of edges) includedEdges.add(edge)
    }
    return missingSurplus > MAX_RELAXED_RESIDUAL * base
  }

  /** Builds the allocation, and returns the line length of each edge that trades on its envelope. */
  private buildAllocation(
    includedEdges: ReadonlySet<number>,
    wholeEdges: ReadonlySet<number>,
    excludedEdges: ReadonlySet<number>,
  ): ReadonlyMap<number, number> {
    const { original, allocation, initialPrices, rate, curves } = this
    const { from, to } = original.graph.topology
    const lines = new Map<number, number>()
    const edges: number[] = []
    for (const edge of includedEdges) {
      if (
        excludedEdges.has(edge) ||
        !(original.rate[edge]! > 0) ||
        !(initialPrices[to[edge]!]! > 0) ||
        !(initialPrices[from[edge]!]! > 0)
      )
        continue
      const ownCurve = curveOf(original, edge)
      original.budget.spend(8)
      const envelope = wholeEdges.has(edge)
        ? null
        : this.envelope(edge, ownCurve, legBaseCost(original, edge) / initialPrices[to[edge]!]!)
      if (!envelope && !wholeEdges.has(edge)) continue
      if (envelope) lines.set(edge, envelope.inputOfLine)
      const curve = envelope?.curve ?? ownCurve
      curves.set(edge, curve)
      rate[edge] = firstRate(curve)
      edges.push(edge)
    }
    const { source, target } = original
    const tokens = new Set([target, source, ...edges.flatMap((edge) => [from[edge]!, to[edge]!])])
    for (const token of tokens) this.nearTokens.add(token)
    allocation.restore({
      edges,
      tokens: [...tokens],
      logPrice: [...tokens].map((token) => Math.log(initialPrices[token]!)),
    })
    return lines
  }

  /** The cached envelope for approximately this cost. A small difference in cost barely moves the point of tangency. */
  private envelope(edge: number, curve: CompiledCurve, cost: number): Envelope | null {
    const cached = this.envelopes.get(edge)
    if (cached && Math.abs(cached.cost - cost) < MAX_COST_DIFFERENCE * cost) return cached.envelope
    const envelope = envelopeOf(curve, cost)
    this.original.budget.spend(40)
    this.envelopes.set(edge, { cost, envelope })
    return envelope
  }

  /** Tokens that carry flow or may carry it. Prices of tokens without incoming or outgoing edges are meaningless. */
  private liveTokens(): ReadonlySet<number> {
    const { allocation, original } = this
    const { edges, sold, bought, input } = allocation
    const live = new Set([original.target, original.source])
    const into = new Set<number>()
    const outOf = new Set<number>()
    for (let k = 0; k < edges.length; k++) {
      into.add(bought[k]!)
      outOf.add(sold[k]!)
      if (!(input[k]! * allocation.price(sold[k]!) > NEGLIGIBLE_SHARE * allocation.value)) continue
      live.add(sold[k]!).add(bought[k]!)
    }
    for (const token of into) if (outOf.has(token)) live.add(token)
    return live
  }

  /**
   * Sets the prices of all tokens. Returns false if the solution has an invalid price, which would look like zero
   * earnings.
   */
  private setPrices(live: ReadonlySet<number>, excludedEdges: ReadonlySet<number>): boolean {
    const { original, allocation, prices, initialPrices } = this
    for (const token of live) {
      const price = allocation.price(token)
      if (!(price > 0 && price < Number.POSITIVE_INFINITY)) return false
      prices[token] = initialPrices[token] = price
    }
    if (this.hasFilledPrices) {
      refillPrices(
        original,
        prices,
        [...this.nearTokens].filter((token) => !live.has(token)),
        excludedEdges,
      )
    } else {
      fillPrices(original, prices, [...live])
      for (let token = 0; token < prices.length; token++) if (prices[token]! > 0) initialPrices[token] = prices[token]!
    }
    this.hasFilledPrices = true
    return true
  }

  private fractionsOf(lines: ReadonlyMap<number, number>): readonly Fraction[] {
    const { edges, input } = this.allocation
    return edges.flatMap((edge, k) => {
      const part = input[k]! / (lines.get(edge) ?? 0)
      return part > 0.001 && part < 0.999 ? [{ edge, costFraction: part }] : []
    })
  }
}
