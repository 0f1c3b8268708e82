/**
 * The relaxation for the routes that use some required edges and avoid some excluded edges (see `net-bound.ts`). An
 * edge is a pool in one direction. The prices of the relaxation come from an allocation (a flow with token prices). In
 * this allocation, the required edges and the edges of a path trade on their price curves; they are called whole edges.
 * All other edges trade on their envelopes (see `envelope.ts`). A multi-token pool has more than two tokens.
 */

import type { TokenPrices } from '../columns/upper-bound.ts'
import { type CompiledCurve, firstRate } from '../graph/price-curve.ts'
import { curveOf, legBaseCost, type Problem } from '../problem/problem.ts'
import { Allocation } from '../solver/allocation.ts'
import { solveDual } from '../solver/dual-solver.ts'
import type { SharedPool } from '../solver/shared-pools.ts'
import { MAX_STEPS_AFTER_CHANGE, NEGLIGIBLE_SHARE } from '../tolerances.ts'
import { type NetBoundAtPrices, netBoundAtPrices } from './bound-at-prices.ts'
import { type Envelope, envelopeOf } from './envelope.ts'
import { fillPrices, refillPrices } from './outer-prices.ts'
import type { TokenRates } from './reduction.ts'
import {
  MAX_COST_DIFFERENCE,
  MAX_EARNER_ROUNDS,
  MAX_EARNINGS_SHORTFALL,
  MAX_INITIAL_EARNERS,
  MAX_JOINING_EARNERS,
  MAX_RELAXED_RESIDUAL,
} from './tolerances.ts'

/** An edge whose cost the relaxation counts only in part. `costFraction` is between 0 and 1. */
type PartialCost = { readonly edge: number; readonly costFraction: number }
/** A bound at the prices of a solved relaxation, and the edges whose cost it counts only in part. */
export type RelaxedBound = { readonly boundAtPrices: NetBoundAtPrices; readonly partialCosts: readonly PartialCost[] }

export class Relaxation {
  private readonly problem: Problem
  private readonly allocation: Allocation
  /** Curves of the allocation, by edge: price curves of whole edges, envelopes of all others. */
  private readonly curves = new Map<number, CompiledCurve>()
  /** By edge: rate for the first unit on the curve of the allocation. */
  private readonly rate: Float64Array
  /** By token: price after the last solution; 0 if no route passes through the token. */
  private readonly prices: Float64Array
  /** Initial prices of the next solution, by token. */
  private readonly initialPrices: Float64Array
  /** Tokens that were part of any earlier allocation. */
  private readonly solvedTokens = new Set<number>()
  /** Cached envelopes by edge, with the cost for which they were computed, in units of the edge's output. */
  private readonly envelopes = new Map<number, { readonly cost: number; readonly envelope: Envelope | null }>()
  /** Multi-token pools by pool id, kept because a pool solves faster from its last solution. */
  private readonly sharedPools = new Map<string, SharedPool>()
  /** True if a solution has set the prices of tokens without flow. */
  private hasFilledPrices = false
  /** The problem with the pools' own price curves. `problem` has the curves of the allocation. */
  private readonly originalProblem: Problem

  constructor(problem: Problem, { maxRate }: TokenRates) {
    const { scratch } = problem.graph.topology
    this.rate = scratch.copy(problem.rate)
    this.prices = scratch.floats(problem.graph.topology.tokens.length, 0)
    this.initialPrices = scratch.copy(maxRate)
    // The relaxation trades the pairs of a multi-token pool independently. That is inexact, but any prices give a valid
    // bound.
    this.problem = { ...problem, rate: this.rate, adjustedCurves: this.curves, mayReusePools: false }
    this.allocation = new Allocation(this.problem)
    this.originalProblem = problem
  }

  /**
   * Evaluates the bound at given prices of some tokens; all other tokens get prices between them. Null if a pool's
   * earnings have no bound.
   */
  evaluateAt(tokenPrices: TokenPrices): RelaxedBound | null {
    for (const [token, price] of tokenPrices) {
      this.prices[token] = this.initialPrices[token] = price
      this.solvedTokens.add(token)
    }
    this.fillOtherPrices([...tokenPrices.keys()])
    const boundAtPrices = netBoundAtPrices(this.originalProblem, this.prices, this.sharedPools)
    return boundAtPrices && { boundAtPrices, partialCosts: [] }
  }

  /**
   * Solves the relaxation in a few rounds. Each round adds the edges that earned most in the previous round. Returns
   * the lowest bound of these rounds; null if the edges form no path, if a pool's earnings have no bound, or if the
   * work runs out.
   *
   * @param wholeEdges - edges that trade on their price curves
   * @param similarBound - result at similar prices, whose highest earners join at the start
   * @param sufficientBound - bound at which no further round is needed
   */
  solve(
    wholeEdges: ReadonlySet<number>,
    excludedEdges: ReadonlySet<number>,
    similarBound: NetBoundAtPrices | null,
    sufficientBound: number,
  ): RelaxedBound | null {
    const includedEdges = new Set(wholeEdges)
    if (similarBound) this.addEarners(includedEdges, similarBound, excludedEdges, MAX_INITIAL_EARNERS)
    let best: RelaxedBound | null = null
    for (let round = 0; round < MAX_EARNER_ROUNDS; round++) {
      const nextBound = this.originalProblem.budget.attempt(
        1,
        () => this.relax(includedEdges, wholeEdges, excludedEdges),
        () => null,
      )
      if (!nextBound) break
      if (!best || nextBound.boundAtPrices.bound < best.boundAtPrices.bound) best = nextBound
      if (
        best.boundAtPrices.bound <= sufficientBound ||
        !this.addEarners(includedEdges, nextBound.boundAtPrices, excludedEdges, MAX_JOINING_EARNERS)
      )
        break
    }
    return best
  }

  /** Solves the allocation over the included edges once, and evaluates the bound at its prices. */
  private relax(
    includedEdges: ReadonlySet<number>,
    wholeEdges: ReadonlySet<number>,
    excludedEdges: ReadonlySet<number>,
  ): RelaxedBound | null {
    const lineEndInputByEdge = this.buildAllocation(includedEdges, wholeEdges, excludedEdges)
    solveDual(this.allocation, MAX_RELAXED_RESIDUAL, MAX_STEPS_AFTER_CHANGE)
    if (!this.setPrices(this.liveTokens(), excludedEdges)) return null
    const boundAtPrices = netBoundAtPrices(this.originalProblem, this.prices, this.sharedPools)
    return boundAtPrices && { boundAtPrices, partialCosts: this.partialCostsOf(lineEndInputByEdge) }
  }

  /**
   * Adds the edges whose earnings would exceed their cost most to `includedEdges`. Returns false if it adds none, or if
   * the pools without a trade in the last allocation together earn almost nothing above their cost.
   */
  private addEarners(
    includedEdges: Set<number>,
    { inputValue, earners }: NetBoundAtPrices,
    excludedEdges: ReadonlySet<number>,
    maxEarners: number,
  ): boolean {
    const joiningEdges = earners
      .filter(
        ({ edges, unlimitedSurplus, cost }) =>
          unlimitedSurplus > -MAX_EARNINGS_SHORTFALL * cost &&
          edges.some((edge) => !includedEdges.has(edge) && !excludedEdges.has(edge)),
      )
      .sort((a, b) => b.unlimitedSurplus - a.unlimitedSurplus)
      .slice(0, maxEarners)
      .flatMap(({ edges }) => edges)
    for (const edge of joiningEdges) includedEdges.add(edge)
    const tradingEdges = this.tradingEdges()
    const idleSurplus = earners.reduce((sum, { edges, earnings, cost }) => {
      const isIdle = edges.every((edge) => !tradingEdges.has(edge) && !excludedEdges.has(edge))
      return isIdle ? sum + Math.max(0, earnings - cost) : sum
    }, 0)
    return joiningEdges.length > 0 && idleSurplus > MAX_RELAXED_RESIDUAL * inputValue
  }

  /** Edges that carry flow in the last allocation. */
  private tradingEdges(): ReadonlySet<number> {
    const { edges, soldTokens, input, value } = this.allocation
    const minValue = NEGLIGIBLE_SHARE * value
    return new Set(edges.filter((_, k) => input[k]! * this.allocation.price(soldTokens[k]!) > minValue))
  }

  /**
   * Builds the allocation. Returns, for each edge that trades on its envelope, the input at the end of the envelope's
   * line.
   */
  private buildAllocation(
    includedEdges: ReadonlySet<number>,
    wholeEdges: ReadonlySet<number>,
    excludedEdges: ReadonlySet<number>,
  ): ReadonlyMap<number, number> {
    const { originalProblem, allocation, initialPrices, rate, curves } = this
    const { from, to } = originalProblem.graph.topology
    const lineEndInputByEdge = new Map<number, number>()
    const edges: number[] = []
    for (const edge of includedEdges) {
      if (
        excludedEdges.has(edge) ||
        !(originalProblem.rate[edge]! > 0) ||
        !(initialPrices[to[edge]!]! > 0) ||
        !(initialPrices[from[edge]!]! > 0)
      )
        continue
      const poolCurve = curveOf(originalProblem, edge)
      originalProblem.budget.spend(8)
      const envelope = wholeEdges.has(edge)
        ? null
        : this.cachedEnvelope(edge, poolCurve, legBaseCost(originalProblem, edge) / initialPrices[to[edge]!]!)
      if (!envelope && !wholeEdges.has(edge)) continue
      if (envelope) lineEndInputByEdge.set(edge, envelope.lineEndInput)
      const curve = envelope?.curve ?? poolCurve
      curves.set(edge, curve)
      rate[edge] = firstRate(curve)
      edges.push(edge)
    }
    const { source, target } = originalProblem
    const tokens = new Set([target, source, ...edges.flatMap((edge) => [from[edge]!, to[edge]!])])
    for (const token of tokens) this.solvedTokens.add(token)
    allocation.restore({
      edges,
      tokens: [...tokens],
      logPrice: [...tokens].map((token) => Math.log(initialPrices[token]!)),
    })
    return lineEndInputByEdge
  }

  /**
   * Returns the envelope of an edge, cached for approximately the same cost. A small difference in cost barely moves
   * the point of tangency.
   */
  private cachedEnvelope(edge: number, curve: CompiledCurve, cost: number): Envelope | null {
    const cached = this.envelopes.get(edge)
    if (cached && Math.abs(cached.cost - cost) < MAX_COST_DIFFERENCE * cost) return cached.envelope
    const envelope = envelopeOf(curve, cost)
    this.originalProblem.budget.spend(40)
    this.envelopes.set(edge, { cost, envelope })
    return envelope
  }

  /** Tokens that carry flow, or that edges both sell and buy. The prices of all other tokens are meaningless. */
  private liveTokens(): ReadonlySet<number> {
    const { allocation, originalProblem } = this
    const { edges, soldTokens, boughtTokens } = allocation
    const liveTokens = new Set([originalProblem.target, originalProblem.source])
    const tradingEdges = this.tradingEdges()
    const boughtTokenSet = new Set<number>()
    const soldTokenSet = new Set<number>()
    for (let k = 0; k < edges.length; k++) {
      boughtTokenSet.add(boughtTokens[k]!)
      soldTokenSet.add(soldTokens[k]!)
      if (tradingEdges.has(edges[k]!)) liveTokens.add(soldTokens[k]!).add(boughtTokens[k]!)
    }
    for (const token of boughtTokenSet) if (soldTokenSet.has(token)) liveTokens.add(token)
    return liveTokens
  }

  /**
   * Sets the prices of all tokens. Returns false if the solution has a price that is not positive and finite, because
   * all edges would then seem to earn nothing.
   */
  private setPrices(liveTokens: ReadonlySet<number>, excludedEdges: ReadonlySet<number>): boolean {
    const { originalProblem, allocation, prices, initialPrices } = this
    for (const token of liveTokens) {
      const price = allocation.price(token)
      if (!(price > 0 && price < Number.POSITIVE_INFINITY)) return false
      prices[token] = initialPrices[token] = price
    }
    if (this.hasFilledPrices) {
      refillPrices(
        originalProblem,
        prices,
        [...this.solvedTokens].filter((token) => !liveTokens.has(token)),
        excludedEdges,
      )
    } else this.fillOtherPrices([...liveTokens])
    return true
  }

  /** Sets the prices of all tokens but the given ones, whose prices are set. */
  private fillOtherPrices(pricedTokens: readonly number[]): void {
    const { originalProblem, prices, initialPrices } = this
    fillPrices(originalProblem, prices, pricedTokens)
    for (let token = 0; token < prices.length; token++) if (prices[token]! > 0) initialPrices[token] = prices[token]!
    this.hasFilledPrices = true
  }

  /** The edges that trade only a part of their envelope's line, and so count only this part of their cost. */
  private partialCostsOf(lineEndInputByEdge: ReadonlyMap<number, number>): readonly PartialCost[] {
    const { edges, input } = this.allocation
    return edges.flatMap((edge, k) => {
      const costFraction = input[k]! / (lineEndInputByEdge.get(edge) ?? 0)
      return costFraction > 0.001 && costFraction < 0.999 ? [{ edge, costFraction }] : []
    })
  }
}
