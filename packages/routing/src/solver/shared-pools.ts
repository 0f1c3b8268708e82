/** Pools of more than two tokens of which a route uses several pairs: one function over all of their tokens. */
import { familyOf, orRefused, type Pool, swapOn, type TradingFunction } from '@sluice/liquidity'
import type { Graph } from '../graph/graph.ts'
import { outputOf } from '../graph/price-curve.ts'
import { MAX_SWAPS } from '../graph/repeated-swaps.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import { SWAP_WORK } from '../tolerances.ts'
import { OptimalTrade } from './optimal-trade.ts'

/** Null for pools of two tokens, and for those that have none. */
export function tradingFunctionOf({ topology }: Graph, pool: Pool): TradingFunction | null {
  if (pool.tokens.length === 2) return null
  const known = topology.tradingFunctions.get(pool)
  if (known !== undefined) return known
  const found = wholeFunctionOf(pool)
  topology.tradingFunctions.set(pool, found)
  return found
}

/** The trading function of a pool of any number of tokens; null of those that have none. */
export function wholeFunctionOf(pool: Pool): TradingFunction | null {
  const family = familyOf(pool.family)!
  const single = orRefused(() => family.tradingFunction?.(pool) ?? null)
  return single && family.limitsEachSwap?.(pool) ? ofRepeatedSwaps(single) : single
}

const ofRepeatedSwaps = (single: TradingFunction): TradingFunction => ({
  ...single,
  mostSold: (1 + single.mostSold) ** MAX_SWAPS - 1,
})

/** True where some pool stands behind several of the edges. */
export const usesPoolTwice = ({ edges, topology }: Graph, some: readonly number[]): boolean =>
  topology.hasWidePools && new Set(some.map((edge) => edges[edge]!.pool.id)).size < some.length

/** The parts that tax leaves of an edge's input and output, beside the pool's own fee. */
function kept(problem: Problem, edge: number): { readonly ofInput: number; readonly ofOutput: number } {
  const own = problem.graph.edges[edge]!.curve
  const { keepIn, keepOut } = curveOf(problem, edge)
  return { ofInput: keepIn / own.keepIn, ofOutput: keepOut / own.keepOut }
}

/** The pairs of one pool in an allocation. They trade together once there are two. */
export class SharedPool {
  readonly edges: number[] = []
  /** Places of its edges in the allocation, and the tokens of the pool that each sells and buys. */
  readonly places: number[] = []
  readonly sold: number[] = []
  readonly bought: number[] = []
  readonly tradingFunction: TradingFunction
  /** Numbers of the pool's tokens in the graph. */
  readonly tokens: Int32Array
  /**
   * By token of the pool, in output base units: what the last trade took or gave, and how that answers to the price.
   */
  readonly value: Float64Array
  readonly weight: Float64Array
  /** By edge, what it bought, in output base units. */
  private readonly traded: number[] = []
  private readonly trade: OptimalTrade
  private readonly ofInput: Float64Array
  private readonly ofOutput: Float64Array

  constructor(tradingFunction: TradingFunction) {
    const count = tradingFunction.balances.length
    this.tradingFunction = tradingFunction
    this.trade = new OptimalTrade(tradingFunction)
    this.tokens = new Int32Array(count)
    this.value = new Float64Array(count)
    this.weight = new Float64Array(count)
    this.ofInput = new Float64Array(count)
    this.ofOutput = new Float64Array(count)
    this.clear()
  }

  clear(): void {
    this.edges.length = this.places.length = this.sold.length = this.bought.length = 0
    this.tokens.fill(-1)
    this.ofInput.fill(0)
    this.ofOutput.fill(0)
  }

  add(problem: Problem, edge: number, place: number): void {
    const { graph } = problem
    const { pool, tokenIn, tokenOut } = graph.edges[edge]!
    const { ofInput, ofOutput } = kept(problem, edge)
    const sold = pool.tokens.indexOf(tokenIn)
    const bought = pool.tokens.indexOf(tokenOut)
    this.tokens[sold] = graph.topology.from[edge]!
    this.tokens[bought] = graph.topology.to[edge]!
    this.ofInput[sold] = ofInput
    this.ofOutput[bought] = ofOutput
    this.edges.push(edge)
    this.places.push(place)
    this.sold.push(sold)
    this.bought.push(bought)
  }

  /** Units of work that the last trade took. */
  get work(): number {
    return 8 * this.trade.placed * this.tokens.length + this.places.length ** 2
  }

  /** Prices of a common unit as the last trade met them: see OptimalTrade. */
  get ends(): { readonly sold: readonly number[]; readonly bought: readonly number[] } {
    return { sold: Array.from(this.trade.priceIn), bought: Array.from(this.trade.priceOut) }
  }

  /** @see OptimalTrade.miss */
  get miss(): number {
    return this.trade.miss
  }

  /** Earnings of the last trade, in output base units. */
  get earned(): number {
    return -this.value.reduce((sum, part) => sum + part, 0)
  }

  /** True where the last trade was of more than one pair. */
  get tradesSeveral(): boolean {
    return this.traded.length > 1
  }

  /**
   * Trades at the prices of the tokens and divides what is sold and bought among the edges by value.
   *
   * @param prices - by token of the graph
   * @param input - base units by place in the allocation, as is `output`
   * @param worth - prices of tokens that are bought, where they are others
   * @returns what it earns, in output base units
   */
  tradeTo(prices: Float64Array, input: Float64Array, output: Float64Array, worth = prices): number {
    const { trade, tokens, ofInput, ofOutput, tradingFunction, value, weight, places } = this
    const { units, keepIn, keepOut, balances } = tradingFunction
    for (let k = 0; k < tokens.length; k++) {
      const price = tokens[k]! < 0 ? 0 : prices[tokens[k]!]! / units[k]!
      const brings = tokens[k]! < 0 ? 0 : worth[tokens[k]!]! / units[k]!
      trade.priceIn[k] = ofInput[k] === 0 || price === 0 ? Number.POSITIVE_INFINITY : price / (keepIn * ofInput[k]!)
      trade.priceOut[k] = brings * keepOut * ofOutput[k]!
    }
    for (const place of places) input[place] = output[place] = 0
    this.traded.length = 0
    if (!trade.solve()) {
      weight.fill(0)
      value.fill(0)
      return 0
    }
    let soldValue = 0
    let boughtValue = 0
    for (let k = 0; k < tokens.length; k++) {
      const grown = trade.balances[k]! - balances[k]!
      value[k] = grown === 0 ? 0 : grown * (grown > 0 ? trade.priceIn[k]! : trade.priceOut[k]!)
      weight[k] = trade.conductance[k]!
      if (grown > 0) soldValue += value[k]!
      else boughtValue -= value[k]!
    }
    this.divide(prices, input, output)
    return boughtValue - soldValue
  }

  /**
   * The most that fees which its trades leave in the pool may add to the output of the others, in output base units: the
   * trading function is one on which they leave it. Of each fee no more than all of it, nor than the others move the price
   * of what it is paid in.
   */
  get feesReused(): number {
    const { traded, weight, tradingFunction } = this
    // A fee that is taken of what is sold makes nothing cheaper where rates depend on the pair alone.
    const { keepIn, keepOut, invariant } = tradingFunction
    const fee = 1 / ((invariant.pairwise ? 1 : keepIn) * keepOut) - 1
    const total = traded.reduce((sum, part) => sum + part, 0)
    const weakest = weight.reduce((least, part) => (part > 0 ? Math.min(least, part) : least), Number.POSITIVE_INFINITY)
    return traded.reduce((sum, part) => sum + part * fee * Math.min(1, (total - part) / weakest), 0)
  }

  /** The rate of every edge of the pool as the last trade left it. */
  ratesAfter(problem: Problem): Map<number, number> {
    const { edges, topology } = problem.graph
    const { pool } = edges[this.edges[0]!]!
    const rates = new Map<number, number>()
    const moved = this.trade.valuesMoved()
    for (const edge of topology.edgesOfPool.get(pool.id)!) {
      const { tokenIn, tokenOut } = edges[edge]!
      const part = moved[pool.tokens.indexOf(tokenIn)]! / moved[pool.tokens.indexOf(tokenOut)]!
      rates.set(edge, problem.rate[edge]! * part)
    }
    return rates
  }

  private divide(prices: Float64Array, input: Float64Array, output: Float64Array): void {
    const { places, sold, bought: buys, value, tokens } = this
    for (let e = 0; e < places.length; e++) {
      const [i, j] = [sold[e]!, buys[e]!]
      if (!(value[i]! > 0 && value[j]! < 0)) continue
      let beside = 0
      let against = 0
      for (let f = 0; f < places.length; f++) {
        if (sold[f] === i && value[buys[f]!]! < 0) beside += value[buys[f]!]!
        if (buys[f] === j && value[sold[f]!]! > 0) against += value[sold[f]!]!
      }
      input[places[e]!] = ((value[i]! / prices[tokens[i]!]!) * value[j]!) / beside
      const bought = (-value[j]! * value[i]!) / against
      output[places[e]!] = bought / prices[tokens[j]!]!
      this.traded.push(bought)
    }
  }
}

/** The outputs of a route's legs, of which a later one meets a pool as an earlier one left it. */
export class LegsInTurn {
  private readonly problem: Problem
  /** Balances of the pools that several of the edges use. */
  private readonly balances: ReadonlyMap<Pool, Float64Array> | null

  constructor(problem: Problem, edges: readonly number[]) {
    this.problem = problem
    const shared = problem.reuse ? sharedOf(problem, edges) : null
    this.balances = shared && shared.size > 0 ? shared : null
  }

  output(edge: number, input: number): number {
    const { problem } = this
    problem.budget.spend(4)
    if (!this.balances) return outputOf(curveOf(problem, edge), input)
    const { pool, tokenIn, tokenOut } = problem.graph.edges[edge]!
    const balances = this.balances.get(pool)
    if (!balances) return outputOf(curveOf(problem, edge), input)
    const { ofInput, ofOutput } = kept(problem, edge)
    problem.budget.spend(SWAP_WORK)
    const [i, j] = [pool.tokens.indexOf(tokenIn), pool.tokens.indexOf(tokenOut)]
    return swapOn(tradingFunctionOf(problem.graph, pool)!, balances, i, j, input * ofInput) * ofOutput
  }
}

function sharedOf({ graph }: Problem, edges: readonly number[]): ReadonlyMap<Pool, Float64Array> {
  const seen = new Set<Pool>()
  const shared = new Map<Pool, Float64Array>()
  for (const edge of edges) {
    const { pool } = graph.edges[edge]!
    if (pool.tokens.length === 2) continue
    if (seen.has(pool)) {
      const tradingFunction = tradingFunctionOf(graph, pool)
      if (tradingFunction) shared.set(pool, tradingFunction.balances.slice())
    }
    seen.add(pool)
  }
  return shared
}
