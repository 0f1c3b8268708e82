/**
 * The relaxation of the routes that use some edges and avoid others. Its prices are those of an allocation. In it, used
 * edges and edges on a path trade on their curves, and all other edges on their envelopes.
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
import { type NetBoundAtPrices, pricedAt } from './priced.ts'
import { EARNER_ROUNDS, JOINING_EARNERS, MAX_INITIAL_EARNERS, NEAR_EARNER, RELAXED, SAME_COST } from './tolerances.ts'

/** An edge whose cost the relaxation counts only in part, between 0 and 1. */
type Fraction = { readonly edge: number; readonly part: number }
export type RelaxedBound = { readonly priced: NetBoundAtPrices; readonly fractions: readonly Fraction[] }

export class Relaxation {
  private readonly problem: Problem
  private readonly allocation: Allocation
  private readonly curves = new Map<number, CompiledCurve>()
  private readonly rate: Float64Array
  private readonly prices: Float64Array
  /** Initial prices of a solution. */
  private readonly starts: Float64Array
  /** Tokens of any earlier solution. */
  private readonly near = new Set<number>()
  private readonly envelopes = new Map<number, { readonly cost: number; readonly envelope: Envelope | null }>()
  /** Multi-token pools, as they trade at the prices. */
  private readonly sharedPools = new Map<string, SharedPool>()
  private filled = false
  private readonly original: Problem

  constructor(problem: Problem, backward: SpotRates) {
    const { scratch } = problem.graph.topology
    this.rate = scratch.copy(problem.rate)
    this.prices = scratch.floats(problem.graph.topology.tokens.length, 0)
    this.starts = scratch.copy(backward.best)
    // The relaxation trades multi-token pools pair by pair: any prices give a valid bound.
    this.problem = { ...problem, rate: this.rate, adjustedCurves: this.curves, mayReusePools: false }
    this.allocation = new Allocation(this.problem)
    this.original = problem
  }

  /**
   * Solves a few rounds; each adds the edges that earned most in the previous one. Returns the best, or null if the
   * edges form no path, a pool's earnings have no bound, or the work runs out.
   *
   * @param whole - edges that trade without an envelope
   * @param around - earnings at similar prices: the highest earners join at the start
   * @param enough - bound at which no further round is needed
   */
  solve(
    whole: ReadonlySet<number>,
    outside: ReadonlySet<number>,
    around: NetBoundAtPrices | null,
    enough: number,
  ): RelaxedBound | null {
    const includedEdges = new Set(whole)
    if (around) this.takeEarners(includedEdges, around, outside, MAX_INITIAL_EARNERS)
    let best: RelaxedBound | null = null
    for (let round = 0; round < EARNER_ROUNDS; round++) {
      const next = this.original.budget.attempt(
        1,
        () => this.relax(includedEdges, whole, outside),
        () => null,
      )
      if (!next) break
      if (!best || next.priced.bound < best.priced.bound) best = next
      if (best.priced.bound <= enough || !this.takeEarners(includedEdges, next.priced, outside, JOINING_EARNERS)) break
    }
    return best
  }

  private relax(
    includedEdges: ReadonlySet<number>,
    whole: ReadonlySet<number>,
    outside: ReadonlySet<number>,
  ): RelaxedBound | null {
    const lines = this.arrange(includedEdges, whole, outside)
    solve(this.allocation, RELAXED, FEW_STEPS)
    if (!this.price(this.live(), outside)) return null
    const boundAtPrices = pricedAt(this.original, this.prices, this.sharedPools)
    return boundAtPrices && { priced: boundAtPrices, fractions: this.fractions(lines) }
  }

  /**
   * Adds the edges with the highest earnings relative to their cost. Returns false if the missing ones earn almost
   * nothing above it.
   */
  private takeEarners(
    includedEdges: Set<number>,
    { base, earners }: NetBoundAtPrices,
    outside: ReadonlySet<number>,
    max: number,
  ): boolean {
    const near = earners
      .map((earner) => ({ ...earner, above: earner.earned - earner.cost }))
      .filter(
        ({ edges, above, cost }) =>
          above > -NEAR_EARNER * cost && edges.some((edge) => !includedEdges.has(edge) && !outside.has(edge)),
      )
      .sort((a, b) => b.above - a.above)
      .slice(0, max)
    let lacking = 0
    for (const { edges, above } of near) {
      lacking += Math.max(0, above)
      for (const edge of edges) includedEdges.add(edge)
    }
    return lacking > RELAXED * base
  }

  /** Builds the allocation, and returns the line length of each edge that trades on its envelope. */
  private arrange(
    includedEdges: ReadonlySet<number>,
    whole: ReadonlySet<number>,
    outside: ReadonlySet<number>,
  ): ReadonlyMap<number, number> {
    const { original, allocation, starts, rate, curves } = this
    const { from, to } = original.graph.topology
    const lines = new Map<number, number>()
    const edges: number[] = []
    for (const edge of includedEdges) {
      if (outside.has(edge) || !(original.rate[edge]! > 0) || !(starts[to[edge]!]! > 0) || !(starts[from[edge]!]! > 0))
        continue
      const ownCurve = curveOf(original, edge)
      original.budget.spend(8)
      const envelope = whole.has(edge)
        ? null
        : this.envelope(edge, ownCurve, legBaseCost(original, edge) / starts[to[edge]!]!)
      if (!envelope && !whole.has(edge)) continue
      if (envelope) lines.set(edge, envelope.inputOfLine)
      const curve = envelope?.curve ?? ownCurve
      curves.set(edge, curve)
      rate[edge] = firstRate(curve)
      edges.push(edge)
    }
    const { source, target } = original
    const tokens = new Set([target, source, ...edges.flatMap((edge) => [from[edge]!, to[edge]!])])
    for (const token of tokens) this.near.add(token)
    allocation.restore({ edges, tokens: [...tokens], logPrice: [...tokens].map((token) => Math.log(starts[token]!)) })
    return lines
  }

  /** The envelope for approximately this cost, cached: a small difference barely moves the point of tangency. */
  private envelope(edge: number, curve: CompiledCurve, cost: number): Envelope | null {
    const cached = this.envelopes.get(edge)
    if (cached && Math.abs(cached.cost - cost) < SAME_COST * cost) return cached.envelope
    const envelope = envelopeOf(curve, cost)
    this.original.budget.spend(40)
    this.envelopes.set(edge, { cost, envelope })
    return envelope
  }

  /** Tokens that carry flow or may carry it. Prices of tokens without incoming or outgoing edges are meaningless. */
  private live(): ReadonlySet<number> {
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
   * Sets the prices of all tokens. Returns false if the solution has no valid price; that must not be mistaken for zero earnings.
   */
  private price(live: ReadonlySet<number>, outside: ReadonlySet<number>): boolean {
    const { original, allocation, prices, starts } = this
    for (const token of live) {
      const price = allocation.price(token)
      if (!(price > 0 && price < Number.POSITIVE_INFINITY)) return false
      prices[token] = starts[token] = price
    }
    if (this.filled) {
      refillPrices(
        original,
        prices,
        [...this.near].filter((token) => !live.has(token)),
        outside,
      )
    } else {
      fillPrices(original, prices, [...live])
      for (let token = 0; token < prices.length; token++) if (prices[token]! > 0) starts[token] = prices[token]!
    }
    this.filled = true
    return true
  }

  private fractions(lines: ReadonlyMap<number, number>): readonly Fraction[] {
    const { edges, input } = this.allocation
    return edges.flatMap((edge, k) => {
      const part = input[k]! / (lines.get(edge) ?? 0)
      return part > 0.001 && part < 0.999 ? [{ edge, part }] : []
    })
  }
}
