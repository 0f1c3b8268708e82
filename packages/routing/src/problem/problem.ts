/**
 * A request compiled for the search: the edges (pools in one direction) that it admits, with taxes included in their
 * price curves.
 */
import { type Address, FLOAT_PPM, NATIVE } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import type { EdgeGas, Graph } from '../graph/graph.ts'
import { type CompiledCurve, firstRate, piecesCrossed, upToInput, withTax } from '../graph/price-curve.ts'
import { refusalOf, type SourceFilter } from '../sources.ts'
import { isSurcharging, type Taxes, taxIn } from '../taxes.ts'
import type { InputLimit, RejectedPool, RouteTerms } from '../types.ts'
import type { WorkBudget } from './budget.ts'
import { passableRates } from './passable.ts'

/**
 * A solved allocation: edges, token prices, and the trade of each edge at these prices. Arrays are indexed like
 * `edges`. Implemented by `Allocation`.
 */
export type SolvedAllocation = {
  /** Upper bound on the output over these edges, in output base units. */
  readonly value: number
  readonly edges: readonly number[]
  readonly soldTokens: Int32Array
  readonly boughtTokens: Int32Array
  readonly input: Float64Array
  price(token: number): number
}

/** Facts about the whole graph that a problem on a subgraph needs. */
export type SubgraphFacts = {
  /** Minimum number of edges from the source to the target in the whole graph. */
  readonly minHops: number
  /**
   * Maximum total earnings, in output base units, of the edges outside the subgraph at the prices of an allocation;
   * null if unknown.
   */
  readonly maxEarningsOutside: (allocation: SolvedAllocation) => number | null
}

/**
 * The problem that the search solves. Tokens and edges are indices of the graph's topology; amounts are floats in base
 * units.
 */
export type Problem = EdgeGas & {
  readonly graph: Graph
  /** Tokens of the request as the sender trades them (NATIVE or ERC-20). The gas of wrapping depends on them. */
  readonly requestTokens: Pick<RouteTerms, 'tokenIn' | 'tokenOut' | 'wrappedNative'>
  readonly source: number
  readonly target: number
  readonly amountIn: number
  readonly maxHops: number
  readonly maxPools: number
  /** True if the trade must not be divided. */
  readonly isSinglePath: boolean
  /** True if any route is acceptable: the search returns the first one within the limits. */
  readonly acceptsAnyRoute?: true
  /** True if pools of more than two tokens may be used for several pairs. */
  readonly mayReusePools: boolean
  /**
   * By edge: output per unit of input for the first unit, after taxes and discounts of the request; 0 if the edge must
   * not be used.
   */
  readonly rate: Float64Array
  /** By edge: `rate` of the reverse edge. */
  readonly rateBack: Float64Array
  /** Cost of one unit of gas, in output base units. */
  readonly costPerGas: number
  /** Cost of one leg's calldata on rollups, in output base units. */
  readonly costPerLeg: number
  /** By edge: price curves changed by a tax, an output discount, or a size limit. */
  readonly adjustedCurves: ReadonlyMap<number, CompiledCurve>
  /** By edge: maximum input by the limits of the request, base units. The pool itself may take more. */
  readonly inputLimits?: ReadonlyMap<number, bigint>
  /** By edge: factor below 1 on the output for ranking; 1 if absent. */
  readonly outputFactors: ReadonlyMap<number, number>
  /**
   * Gas of an edge in addition to `extraGas`; may be negative. A function, because it is needed only for edges that the
   * search reaches.
   */
  readonly gasOffset?: (edge: number) => number
  /** Maximum number of alternatives that are returned with the best route, so that their gas can be measured. */
  readonly maxAlternatives: number
  /** Facts about the whole graph if this is a problem on a subgraph. */
  readonly subgraph?: SubgraphFacts
  /** Remaining work of the whole request. */
  readonly budget: WorkBudget
  /** Limit on solutions with softened curves, shared by all searches for this amount. */
  readonly softenings: Softenings
}

/** Number of solutions with softened (artificially steeper) curves that may still be computed; see `solveSoftened`. */
export type Softenings = { remaining: number }

/**
 * Maximum solutions with softened curves per searched amount. Each takes much work, and more of them hardly change the
 * route.
 */
const MAX_SOFTENINGS = 4

/** Returns a new limit. Each amount for which an exact-output request searches a route has its own limit. */
export const newSoftenings = (): Softenings => ({ remaining: MAX_SOFTENINGS })

/** Default of `RouteTerms.maxHops`. */
export const DEFAULT_MAX_HOPS = 4
/** Default of `RouteTerms.maxSplits`. */
export const DEFAULT_MAX_POOLS = 24
const UNTRUSTED_REASON =
  'what it pays depends on an account that nobody vouches for; intermediates=any or naming its source lets it in'

/** Price curve of an edge, with the taxes, discounts, and limits of this request. */
export function curveOf({ adjustedCurves, graph }: Problem, edge: number): CompiledCurve {
  return (adjustedCurves.size > 0 && adjustedCurves.get(edge)) || graph.edges[edge]!.curve
}

/** Returns true if legs cost nothing. */
export const hasNoLegCosts = ({ costPerGas, costPerLeg }: Problem): boolean => costPerGas === 0 && costPerLeg === 0

/** Lower bound on the cost of any leg, in output base units. */
export const minLegCost = ({ graph, costPerGas, costPerLeg }: Problem): number => graph.minGas * costPerGas + costPerLeg

/** Cost of a leg with a given input, in output base units. */
export function legCost(problem: Problem, edge: number, input: number): number {
  if (hasNoLegCosts(problem)) return 0
  const { costPerGas, costPerLeg } = problem
  return (gasOf(problem, edge) + crossingGas(problem, edge, input)) * costPerGas + costPerLeg
}

/** Gas of the ticks that a leg with this input crosses. */
export function crossingGas(problem: Problem, edge: number, input: number): number {
  const curve = curveOf(problem, edge)
  return curve.gasPerPiece === 0 ? 0 : curve.gasPerPiece * piecesCrossed(curve, input)
}

/**
 * Returns the problem with a gas offset for each edge.
 *
 * @param extraGas - offset in gas units; may be negative
 */
export function withExtraGas(problem: Problem, extraGas: (edge: number) => number): Problem {
  const { gasOffset } = problem
  return { ...problem, gasOffset: gasOffset ? (edge) => gasOffset(edge) + extraGas(edge) : extraGas }
}

/** Cost of a leg before tick crossings, in output base units. */
export function legBaseCost(problem: Problem, edge: number): number {
  return gasOf(problem, edge) * problem.costPerGas + problem.costPerLeg
}

/** Gas of a leg before tick crossings; at least `minGas`, because bounds assume that no leg takes less. */
function gasOf(problem: Problem, edge: number): number {
  const { graph } = problem
  return Math.max(graph.minGas, graph.edges[edge]!.gas + extraGasOf(problem, edge))
}

/** Gas of an edge in addition to its gas in the graph; may be negative. */
export function extraGasOf({ extraGas, gasOffset }: Problem, edge: number): number {
  const learnedGas = extraGas.length > 0 ? extraGas[edge]! : 0
  return gasOffset ? learnedGas + gasOffset(edge) : learnedGas
}

/** Returns a copy of the problem in which the edges must not be used. */
export function withoutEdges(problem: Problem, edges: Iterable<number>): Problem {
  const { scratch, reverse } = problem.graph.topology
  problem.budget.spend(problem.rate.length / 8)
  const rate = scratch.copy(problem.rate)
  const rateBack = scratch.copy(problem.rateBack)
  for (const edge of edges) {
    rate[edge] = 0
    rateBack[reverse[edge]!] = 0
  }
  return { ...problem, rate, rateBack }
}

/**
 * Decides which edges a request admits, and compiles its taxes, discounts, and limits into rates and curves by edge. A
 * taxed token can only be the input or the output of a route, not an intermediate token.
 */
export class Admission {
  private readonly rejectionReasons = new Map<Pool, string>()
  private readonly endTokens: readonly (Address | undefined)[]
  readonly rate: Float64Array
  readonly rateBack: Float64Array
  readonly adjustedCurves = new Map<number, CompiledCurve>()
  readonly outputFactors = new Map<number, number>()
  readonly inputLimits = new Map<number, bigint>()
  readonly source: number
  readonly target: number
  /** True if an earlier flow did not settle because a leg was too small for its pool or bought less than one unit. */
  hasSmallLegs = false
  private readonly graph: Graph

  constructor(graph: Graph, request: RouteTerms, source: number, target: number) {
    this.graph = graph
    this.source = source
    this.target = target
    const { topology } = graph
    const withSampled = request.withSampled === true
    const initialRates = passableRates(graph, request.trust, { source, target }, request.sources, withSampled, (pool) =>
      this.recordRejection(pool, UNTRUSTED_REASON),
    )
    this.rate = initialRates.rate
    this.rateBack = initialRates.rateBack
    const { offset, reverse, tokens } = topology
    this.endTokens = [tokens[source], tokens[target]]
    for (let edge = offset[source]!; edge < offset[source + 1]!; edge++) this.setRate(reverse[edge]!, 0)
    for (let edge = offset[target]!; edge < offset[target + 1]!; edge++) this.setRate(edge, 0)
    const { excludePools, sources, taxes, driftPenalties, inputLimits } = request
    for (const id of excludePools ?? []) {
      const edges = topology.edgesOfPool.get(id)
      if (edges) this.excludePool(graph.edges[edges[0]!]!.pool, 'excluded by the request')
    }
    if (sources) this.excludeSources(sources)
    if (taxes) this.applyTaxes(taxes, source, target)
    for (const [id, ppm] of driftPenalties ?? []) this.applyDiscount(id, ppm)
    for (const limit of inputLimits ?? []) this.applyLimit(limit)
  }

  /**
   * Rejected pools with reasons. Pools that trade both the input and the output token come first, then pools that trade
   * one of them.
   */
  get rejectedPools(): readonly RejectedPool[] {
    const missingEnds = ({ tokens }: Pool) =>
      this.endTokens.filter((end) => !tokens.some((token) => token === end)).length
    return [...this.rejectionReasons]
      .sort(([a], [b]) => missingEnds(a) - missingEnds(b) || (a.id < b.id ? -1 : 1))
      .map(([{ id, family }, reason]) => ({ pool: id, family, reason }))
  }

  private excludePool(pool: Pool, reason: string): void {
    this.recordRejection(pool, reason)
    for (const edge of this.graph.topology.edgesOfPool.get(pool.id) ?? []) this.setRate(edge, 0)
  }

  /** Excludes one direction of a pool from this request. */
  closeEdge(edge: number): void {
    this.setRate(edge, 0)
  }

  private excludeSources(sources: SourceFilter): void {
    const { poolsOfSource, edgesOfPool } = this.graph.topology
    for (const [source, pools] of poolsOfSource) {
      const reason = refusalOf(source, sources)
      if (reason !== null)
        for (const id of pools) this.excludePool(this.graph.edges[edgesOfPool.get(id)![0]!]!.pool, reason)
    }
  }

  private applyTaxes(taxes: Taxes, source: number, target: number): void {
    const { from, to, offset, reverse, tokenIndex } = this.graph.topology
    const edgesOfTaxedTokens = new Set<number>()
    for (const token of taxes.keys()) {
      const index = tokenIndex.get(token)
      if (index === undefined) continue
      for (let edge = offset[index]!; edge < offset[index + 1]!; edge++)
        edgesOfTaxedTokens.add(edge).add(reverse[edge]!)
    }
    for (const edge of edgesOfTaxedTokens) {
      if (this.rate[edge] === 0) continue
      const { pool, tokenIn, tokenOut, curve } = this.graph.edges[edge]!
      if (isSurcharging(taxes, tokenIn) || isSurcharging(taxes, tokenOut)) {
        this.setRate(edge, 0)
        this.recordRejection(pool, 'trades a token that charges its sender on top of what is sent')
        continue
      }
      const sellPpm = taxIn(taxes, tokenIn, pool.id)?.sellPpm ?? 0
      const buyPpm = taxIn(taxes, tokenOut, pool.id)?.buyPpm ?? 0
      if (sellPpm === 0 && buyPpm === 0) continue
      const hasTaxedIntermediate = (sellPpm > 0 && from[edge] !== source) || (buyPpm > 0 && to[edge] !== target)
      const refusesTaxedInput = sellPpm > 0 && !familyOf(pool.family)?.takesTaxedInput
      if (hasTaxedIntermediate || refusesTaxedInput || sellPpm >= FLOAT_PPM || buyPpm >= FLOAT_PPM) {
        this.setRate(edge, 0)
        if (refusesTaxedInput && !hasTaxedIntermediate)
          this.recordRejection(pool, 'cannot take a token that is taxed on transfer')
        else if (!hasTaxedIntermediate) this.recordRejection(pool, 'the token takes all of a transfer')
        continue
      }
      const taxedCurve = withTax(curve, 1 - sellPpm / FLOAT_PPM, 1 - buyPpm / FLOAT_PPM)
      this.adjustedCurves.set(edge, taxedCurve)
      this.setRate(edge, firstRate(taxedCurve))
    }
  }

  private applyLimit({ poolId, tokenIn, tokenOut, maxInput }: InputLimit): void {
    for (const edge of this.graph.topology.edgesOfPool.get(poolId) ?? []) {
      const { tokenIn: edgeTokenIn, tokenOut: edgeTokenOut, curve } = this.graph.edges[edge]!
      if (edgeTokenIn !== tokenIn || edgeTokenOut !== tokenOut) continue
      if (maxInput === 0n) this.setRate(edge, 0)
      else {
        this.adjustedCurves.set(edge, upToInput(this.adjustedCurves.get(edge) ?? curve, Number(maxInput)))
        const otherLimit = this.inputLimits.get(edge) ?? maxInput
        this.inputLimits.set(edge, otherLimit < maxInput ? otherLimit : maxInput)
      }
    }
  }

  private applyDiscount(id: string, ppm: number): void {
    for (const edge of this.graph.topology.edgesOfPool.get(id) ?? []) {
      const { pool, curve } = this.graph.edges[edge]!
      if (ppm >= FLOAT_PPM) {
        this.setRate(edge, 0)
        this.recordRejection(pool, 'it repeatedly paid less than it quoted; it will be tried again later')
      } else if (this.rate[edge]! > 0) {
        const keptFraction = 1 - ppm / FLOAT_PPM
        const discountedCurve = withTax(this.adjustedCurves.get(edge) ?? curve, 1, keptFraction)
        this.outputFactors.set(edge, keptFraction)
        this.adjustedCurves.set(edge, discountedCurve)
        this.setRate(edge, firstRate(discountedCurve))
      }
    }
  }

  /** Records why a pool is excluded, for the case that no route is found. Only the first reason of a pool is kept. */
  recordRejection(pool: Pool, reason: string): void {
    if (!this.rejectionReasons.has(pool)) this.rejectionReasons.set(pool, reason)
  }

  private setRate(edge: number, rate: number): void {
    this.rate[edge] = rate
    this.rateBack[this.graph.topology.reverse[edge]!] = rate
  }
}

/** The ERC-20 form of a route's end; null for NATIVE on chains without a wrapper. */
export function erc20Of(token: Address, wrappedNative: Address | null): Address | null {
  return token === NATIVE ? wrappedNative : token
}
