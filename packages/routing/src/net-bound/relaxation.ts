/**
 * The relaxation of a set of routes: those that use some pools for certain, and others not at all. Its prices come of the
 * allocation in which pools that are used for certain, or along a way, trade as they are, and all others on their envelopes.
 */

import { type CompiledCurve, firstRate } from '../graph/price-curve.ts'
import type { Potential } from '../problem/potentials.ts'
import { curveOf, leastCost, type Problem } from '../problem/problem.ts'
import { Allocation } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import type { SharedPool } from '../solver/shared-pools.ts'
import { FEW_STEPS, NEGLIGIBLE } from '../tolerances.ts'
import { type Envelope, envelopeOf } from './envelope.ts'
import { fillPrices, refillPrices } from './outer-prices.ts'
import { type Priced, pricedAt } from './priced.ts'
import { EARNER_ROUNDS, JOINING_EARNERS, MOST_EARNERS, NEAR_EARNER, RELAXED, SAME_COST } from './tolerances.ts'

/** An edge whose cost the relaxation counts in part. */
type Fraction = { readonly edge: number; readonly part: number }
export type Relaxed = { readonly priced: Priced; readonly fractions: readonly Fraction[] }

export class Relaxation {
  private readonly problem: Problem
  private readonly allocation: Allocation
  private readonly curves = new Map<number, CompiledCurve>()
  private readonly rate: Float64Array
  private readonly prices: Float64Array
  /** Prices that a solution begins with. */
  private readonly starts: Float64Array
  /** Tokens that some solution had. */
  private readonly near = new Set<number>()
  private readonly envelopes = new Map<number, { readonly cost: number; readonly envelope: Envelope | null }>()
  /** Pools of several tokens as they trade at the prices. */
  private readonly shared = new Map<string, SharedPool>()
  private filled = false
  private readonly asked: Problem

  constructor(problem: Problem, backward: Potential) {
    const { scratch } = problem.graph.topology
    this.rate = scratch.copy(problem.rate)
    this.prices = scratch.floats(problem.graph.topology.tokens.length, 0)
    this.starts = scratch.copy(backward.best)
    // Pools of several tokens trade pair by pair here: any prices make a bound.
    this.problem = { ...problem, rate: this.rate, taxed: this.curves, reuse: false }
    this.allocation = new Allocation(this.problem)
    this.asked = problem
  }

  /**
   * The best of a few rounds, in each of which what earned most in the one before has joined. Null where the edges lead nowhere, what
   * pools earn has no bound, or there is no work left for one of them.
   *
   * @param whole - edges that trade as they are
   * @param around - what earns at prices that may be near: the most earning are taken in from the beginning
   * @param enough - a bound at or below which no further round is worth its work
   */
  solve(
    whole: ReadonlySet<number>,
    outside: ReadonlySet<number>,
    around: Priced | null,
    enough: number,
  ): Relaxed | null {
    const taken = new Set(whole)
    if (around) this.takeEarners(taken, around, outside, MOST_EARNERS)
    let best: Relaxed | null = null
    for (let round = 0; round < EARNER_ROUNDS; round++) {
      const next = this.asked.budget.attempt(
        1,
        () => this.relax(taken, whole, outside),
        () => null,
      )
      if (!next) break
      if (!best || next.priced.bound < best.priced.bound) best = next
      if (best.priced.bound <= enough || !this.takeEarners(taken, next.priced, outside, JOINING_EARNERS)) break
    }
    return best
  }

  private relax(taken: ReadonlySet<number>, whole: ReadonlySet<number>, outside: ReadonlySet<number>): Relaxed | null {
    const lines = this.arrange(taken, whole, outside)
    solve(this.allocation, RELAXED, FEW_STEPS)
    if (!this.price(this.live(), outside)) return null
    const priced = pricedAt(this.asked, this.prices, this.shared)
    return priced && { priced, fractions: this.fractions(lines) }
  }

  /** Takes the edges that earn most beside their cost; false where those that are lacking earn next to nothing above it. */
  private takeEarners(
    taken: Set<number>,
    { base, earners }: Priced,
    outside: ReadonlySet<number>,
    most: number,
  ): boolean {
    const near = earners
      .map((earner) => ({ ...earner, above: earner.earned - earner.cost }))
      .filter(
        ({ edges, above, cost }) =>
          above > -NEAR_EARNER * cost && edges.some((edge) => !taken.has(edge) && !outside.has(edge)),
      )
      .sort((a, b) => b.above - a.above)
      .slice(0, most)
    let lacking = 0
    for (const { edges, above } of near) {
      lacking += Math.max(0, above)
      for (const edge of edges) taken.add(edge)
    }
    return lacking > RELAXED * base
  }

  /** Puts the edges into the allocation, and tells the lengths of the lines of those on their envelopes. */
  private arrange(
    taken: ReadonlySet<number>,
    whole: ReadonlySet<number>,
    outside: ReadonlySet<number>,
  ): ReadonlyMap<number, number> {
    const { asked, allocation, starts, rate, curves } = this
    const { from, to } = asked.graph.topology
    const lines = new Map<number, number>()
    const edges: number[] = []
    for (const edge of taken) {
      if (outside.has(edge) || !(asked.rate[edge]! > 0) || !(starts[to[edge]!]! > 0) || !(starts[from[edge]!]! > 0))
        continue
      const own = curveOf(asked, edge)
      asked.budget.spend(8)
      const envelope = whole.has(edge) ? null : this.envelope(edge, own, leastCost(asked, edge) / starts[to[edge]!]!)
      if (!envelope && !whole.has(edge)) continue
      if (envelope) lines.set(edge, envelope.inputOfLine)
      const curve = envelope?.curve ?? own
      curves.set(edge, curve)
      rate[edge] = firstRate(curve)
      edges.push(edge)
    }
    const { source, target } = asked
    const tokens = new Set([target, source, ...edges.flatMap((edge) => [from[edge]!, to[edge]!])])
    for (const token of tokens) this.near.add(token)
    allocation.restore({ edges, tokens: [...tokens], logPrice: [...tokens].map((token) => Math.log(starts[token]!)) })
    return lines
  }

  /** An envelope for about the cost: a little more or less of it moves where the line touches by next to nothing. */
  private envelope(edge: number, curve: CompiledCurve, cost: number): Envelope | null {
    const known = this.envelopes.get(edge)
    if (known && Math.abs(known.cost - cost) < SAME_COST * cost) return known.envelope
    const envelope = envelopeOf(curve, cost)
    this.asked.budget.spend(40)
    this.envelopes.set(edge, { cost, envelope })
    return envelope
  }

  /** Tokens that something flows through, or that may: prices of those without a way in or out say nothing. */
  private live(): ReadonlySet<number> {
    const { allocation, asked } = this
    const { edges, sold, bought, input } = allocation
    const live = new Set([asked.target, asked.source])
    const into = new Set<number>()
    const outOf = new Set<number>()
    for (let k = 0; k < edges.length; k++) {
      into.add(bought[k]!)
      outOf.add(sold[k]!)
      if (!(input[k]! * allocation.price(sold[k]!) > NEGLIGIBLE * allocation.value)) continue
      live.add(sold[k]!).add(bought[k]!)
    }
    for (const token of into) if (outOf.has(token)) live.add(token)
    return live
  }

  /** Prices of all tokens; false where the solution has none, which is not to be taken for nothing being earned. */
  private price(live: ReadonlySet<number>, outside: ReadonlySet<number>): boolean {
    const { asked, allocation, prices, starts } = this
    for (const token of live) {
      const price = allocation.price(token)
      if (!(price > 0 && price < Number.POSITIVE_INFINITY)) return false
      prices[token] = starts[token] = price
    }
    if (this.filled) {
      refillPrices(
        asked,
        prices,
        [...this.near].filter((token) => !live.has(token)),
        outside,
      )
    } else {
      fillPrices(asked, prices, [...live])
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
