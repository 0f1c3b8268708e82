/** One request made ready for the search: which edges it may use, with the taxes of its ends folded in. */
import { type Address, FLOAT_PPM, NATIVE } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import { measuredHopGas } from '../gas/refunds.ts'
import type { Graph } from '../graph/graph.ts'
import { type CompiledCurve, firstRate, piecesCrossed, withTax } from '../graph/price-curve.ts'
import { refusalOf, type SourceFilter } from '../sources.ts'
import { isSurcharging, type Taxes, taxIn } from '../taxes.ts'
import type { LearnedGas, MeasuredHop, RejectedSource, RouteTerms } from '../types.ts'
import type { WorkBudget } from './budget.ts'
import { passableRates } from './passable.ts'

/** Trades of edges, by place, at the prices of tokens: see `solver/allocation.ts`. */
export type Solved = {
  readonly value: number
  readonly edges: readonly number[]
  readonly sold: Int32Array
  readonly bought: Int32Array
  readonly input: Float64Array
  price(token: number): number
}

type Excerpt = {
  /** Fewest edges from the source to the target. */
  readonly fewestHops: number
  /**
   * The most that edges outside the part earn together at the prices of an allocation, in output base units; null where that is not
   * known.
   */
  readonly earnedBeyond: (solved: Solved) => number | null
}

/** Tokens and edges are numbers of the graph's topology; amounts are floats of base units. */
export type Problem = {
  readonly graph: Graph
  /** The ends as they were asked for: what gas depends on beside the pools. */
  readonly swap: Pick<RouteTerms, 'tokenIn' | 'tokenOut' | 'wrappedNative'>
  readonly source: number
  readonly target: number
  readonly amountIn: number
  readonly maxHops: number
  readonly maxPools: number
  /** True where the trade may not be divided. */
  readonly onePath: boolean
  /** True where it is only asked whether the amount routes: the first route that keeps the limits will do. */
  readonly anyRoute?: true
  /** True where a pool of more than two tokens may be used for several pairs of them. */
  readonly reuse: boolean
  /** First rate of every edge as this request sees it: 0 where it may not be used. */
  readonly rate: Float64Array
  readonly rateBack: Float64Array
  /** Output base units that a unit of gas costs, and that a leg's calldata costs. */
  readonly perGas: number
  readonly perLeg: number
  /** Responses that a tax or a haircut changes. */
  readonly taxed: ReadonlyMap<number, CompiledCurve>
  /** Parts of the output that edges are ranked with, below 1; those of the others are whole. */
  readonly believed: ReadonlyMap<number, number>
  /** Gas of edges beyond the graph's own figure. */
  readonly learned: Pick<ReadonlyMap<number, number>, 'get' | 'size'>
  /** Measured gas of edges, which `learned` brings theirs to. */
  readonly measured: ReadonlyMap<number, MeasuredHop>
  /** Routes that are wanted beside the best, for their gas to be measured. */
  readonly mostRivals: number
  /** Facts of the whole graph, where this is a problem on a part of it. */
  readonly excerpt?: Excerpt
  /** The work left to the whole request. */
  readonly budget: WorkBudget
}

export const DEFAULT_MAX_HOPS = 4
export const DEFAULT_MAX_POOLS = 24
const UNTRUSTED =
  'what it pays depends on an account that nobody vouches for; intermediates=any or naming its source lets it in'

export function curveOf({ taxed, graph }: Problem, edge: number): CompiledCurve {
  return (taxed.size > 0 && taxed.get(edge)) || graph.edges[edge]!.curve
}

/** True where legs cost nothing. */
export const isFree = ({ perGas, perLeg }: Problem): boolean => perGas === 0 && perLeg === 0

/** The least cost of any leg, in output base units. */
export const leastLegCost = ({ graph, perGas, perLeg }: Problem): number => graph.leastGas * perGas + perLeg

/** The cost of a leg with this input, in output base units. */
export function costOf(problem: Problem, edge: number, input: number): number {
  if (isFree(problem)) return 0
  const { perGas, perLeg } = problem
  return (gasOf(problem, edge) + crossingGas(problem, edge, input)) * perGas + perLeg
}

/** Gas of the ticks that a leg with this input crosses. */
export function crossingGas(problem: Problem, edge: number, input: number): number {
  const curve = curveOf(problem, edge)
  return curve.gasPerPiece === 0 ? 0 : curve.gasPerPiece * piecesCrossed(curve, input)
}

/** The same problem where edges take more gas, or less. */
export function withMoreGas(problem: Problem, more: (edge: number) => number): Problem {
  const { learned } = problem
  return { ...problem, learned: { size: 1, get: (edge) => (learned.get(edge) ?? 0) + more(edge) } }
}

/** The same before its input is known. */
export function leastCost(problem: Problem, edge: number): number {
  return gasOf(problem, edge) * problem.perGas + problem.perLeg
}

/** Gas of a leg before ticks crossed; no less than that of the cheapest hop, which ways are bounded by. */
function gasOf({ graph, learned }: Problem, edge: number): number {
  const { gas } = graph.edges[edge]!
  const more = learned.size > 0 ? learned.get(edge) : undefined
  return more === undefined ? gas : Math.max(graph.leastGas, gas + more)
}

/** A problem of its own, in which the edges may not be used. */
export function without(problem: Problem, edges: Iterable<number>): Problem {
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

/** Edges as one request may use them. A taxed token is only ever sold first or bought last, never passed through. */
export class Admission {
  private readonly reasons = new Map<Pool, string>()
  private readonly ends: readonly (Address | undefined)[]
  readonly rate: Float64Array
  readonly rateBack: Float64Array
  readonly taxed = new Map<number, CompiledCurve>()
  readonly believed = new Map<number, number>()
  readonly learned = new Map<number, number>()
  readonly measured = new Map<number, MeasuredHop>()
  readonly source: number
  readonly target: number
  private readonly graph: Graph

  constructor(graph: Graph, request: RouteTerms, source: number, target: number) {
    this.graph = graph
    this.source = source
    this.target = target
    const { topology } = graph
    const passable = passableRates(graph, request.trust, { source, target }, request.sources, (pool) =>
      this.note(pool, UNTRUSTED),
    )
    this.rate = passable.rate
    this.rateBack = passable.rateBack
    const { offset, reverse, tokens } = topology
    this.ends = [tokens[source], tokens[target]]
    for (let edge = offset[source]!; edge < offset[source + 1]!; edge++) this.set(reverse[edge]!, 0)
    for (let edge = offset[target]!; edge < offset[target + 1]!; edge++) this.set(edge, 0)
    const { excludePools, sources, taxes, haircuts, learnedGas } = request
    for (const id of excludePools ?? []) {
      const edges = topology.edgesOfPool.get(id)
      if (edges) this.ban(graph.edges[edges[0]!]!.pool, 'excluded by the request')
    }
    if (sources) this.filter(sources)
    if (taxes) this.applyTaxes(taxes, source, target)
    for (const [id, ppm] of haircuts ?? []) this.believeLess(id, ppm)
    if (learnedGas) this.learnGas(learnedGas)
  }

  /** Pools that join both ends of the trade first, then those of one of them. */
  get rejected(): readonly RejectedSource[] {
    const missing = ({ tokens }: Pool) => this.ends.filter((end) => !tokens.some((token) => token === end)).length
    return [...this.reasons]
      .sort(([a], [b]) => missing(a) - missing(b) || (a.id < b.id ? -1 : 1))
      .map(([{ id, family }, reason]) => ({ pool: id, family, reason }))
  }

  /** Takes a pool out of this request. */
  private ban(pool: Pool, reason: string): void {
    this.note(pool, reason)
    for (const edge of this.graph.topology.edgesOfPool.get(pool.id) ?? []) this.set(edge, 0)
  }

  /** Takes one direction through a pool out of this request. */
  close(edge: number): void {
    this.set(edge, 0)
  }

  private filter(sources: SourceFilter): void {
    const { poolsOfSource, edgesOfPool } = this.graph.topology
    for (const [source, pools] of poolsOfSource) {
      const reason = refusalOf(source, sources)
      if (reason !== null) for (const id of pools) this.ban(this.graph.edges[edgesOfPool.get(id)![0]!]!.pool, reason)
    }
  }

  private applyTaxes(taxes: Taxes, source: number, target: number): void {
    const { from, to, offset, reverse, tokenIndex } = this.graph.topology
    const touched = new Set<number>()
    for (const token of taxes.keys()) {
      const index = tokenIndex.get(token)
      if (index === undefined) continue
      for (let edge = offset[index]!; edge < offset[index + 1]!; edge++) touched.add(edge).add(reverse[edge]!)
    }
    for (const edge of touched) {
      if (this.rate[edge] === 0) continue
      const { pool, tokenIn, tokenOut, curve } = this.graph.edges[edge]!
      if (isSurcharging(taxes, tokenIn) || isSurcharging(taxes, tokenOut)) {
        this.set(edge, 0)
        this.note(pool, 'trades a token that charges its sender on top of what is sent')
        continue
      }
      const sellPpm = taxIn(taxes, tokenIn, pool.id)?.sellPpm ?? 0
      const buyPpm = taxIn(taxes, tokenOut, pool.id)?.buyPpm ?? 0
      if (sellPpm === 0 && buyPpm === 0) continue
      const passedThrough = (sellPpm > 0 && from[edge] !== source) || (buyPpm > 0 && to[edge] !== target)
      const refused = sellPpm > 0 && !familyOf(pool.family)?.takesTaxedInput
      if (passedThrough || refused || sellPpm >= FLOAT_PPM || buyPpm >= FLOAT_PPM) {
        this.set(edge, 0)
        if (refused && !passedThrough) this.note(pool, 'cannot take a token that is taxed on transfer')
        else if (!passedThrough) this.note(pool, 'the token takes all of a transfer')
        continue
      }
      const left = withTax(curve, 1 - sellPpm / FLOAT_PPM, 1 - buyPpm / FLOAT_PPM)
      this.taxed.set(edge, left)
      this.set(edge, firstRate(left))
    }
  }

  private learnGas(learnedGas: LearnedGas): void {
    const { edgesOfPool } = this.graph.topology
    const learn = (edges: readonly number[], gas: number | readonly MeasuredHop[]) => {
      for (const edge of edges)
        if (typeof gas === 'number') this.learned.set(edge, gas)
        else this.measure(edge, gas)
    }
    // Parts of large graphs have fewer pools than are known.
    if (edgesOfPool.size < learnedGas.size)
      for (const [id, edges] of edgesOfPool) {
        const gas = learnedGas.get(id)
        if (gas !== undefined) learn(edges, gas)
      }
    else for (const [id, gas] of learnedGas) learn(edgesOfPool.get(id) ?? [], gas)
  }

  /** Notes the measured gas of an edge at its place in the route, beyond that of its family's row. */
  private measure(edge: number, hops: readonly MeasuredHop[]): void {
    const { pool, tokenIn, tokenOut, gas } = this.graph.edges[edge]!
    const hop = hops.find((one) => one.tokenIn === tokenIn && one.tokenOut === tokenOut)
    if (!hop) return
    const { from, to } = this.graph.topology
    const isFirst = from[edge] === this.source
    const isLast = to[edge] === this.target
    this.learned.set(edge, measuredHopGas(hop, pool, isFirst, isLast) - gas)
    this.measured.set(edge, hop)
  }

  private believeLess(id: string, ppm: number): void {
    for (const edge of this.graph.topology.edgesOfPool.get(id) ?? []) {
      const { pool, curve } = this.graph.edges[edge]!
      if (ppm >= FLOAT_PPM) {
        this.set(edge, 0)
        this.note(pool, 'it has paid less than it quoted again and again; it is tried anew later')
      } else if (this.rate[edge]! > 0) {
        const part = 1 - ppm / FLOAT_PPM
        const left = withTax(this.taxed.get(edge) ?? curve, 1, part)
        this.believed.set(edge, part)
        this.taxed.set(edge, left)
        this.set(edge, firstRate(left))
      }
    }
  }

  /** Notes why a pool is not used; the first reason is reported if no route is found. */
  note(pool: Pool, reason: string): void {
    if (!this.reasons.has(pool)) this.reasons.set(pool, reason)
  }

  private set(edge: number, rate: number): void {
    this.rate[edge] = rate
    this.rateBack[this.graph.topology.reverse[edge]!] = rate
  }
}

/** The ERC-20 behind an end of the route; null where NATIVE has no wrapper. */
export function erc20Of(token: Address, wrappedNative: Address | null): Address | null {
  return token === NATIVE ? wrappedNative : token
}
