/** Pools of more than two tokens, with several pairs in one route. All pairs share the pool's trading function. */
import { familyOf, nullIfRefused, type Pool, swapOn, type TradingFunction } from '@sluice/liquidity'
import type { Graph } from '../graph/graph.ts'
import { outputOf } from '../graph/price-curve.ts'
import { MAX_SWAPS } from '../graph/repeated-swaps.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import { SWAP_WORK } from '../tolerances.ts'
import { OptimalTrade } from './optimal-trade.ts'

/**
 * Returns the trading function of a pool, cached per topology; null for pools of two tokens, and for families without
 * one.
 */
export function tradingFunctionOf({ topology }: Graph, pool: Pool): TradingFunction | null {
  if (pool.tokens.length === 2) return null
  const cachedFunction = topology.tradingFunctions.get(pool)
  if (cachedFunction !== undefined) return cachedFunction
  const result = wholeFunctionOf(pool)
  topology.tradingFunctions.set(pool, result)
  return result
}

/** Returns the trading function of a pool of any number of tokens; null if the family has none. */
export function wholeFunctionOf(pool: Pool): TradingFunction | null {
  const family = familyOf(pool.family)!
  const swapFunction = nullIfRefused(() => family.tradingFunction?.(pool) ?? null)
  return swapFunction && family.limitsEachSwap?.(pool) ? ofRepeatedSwaps(swapFunction) : swapFunction
}

const ofRepeatedSwaps = (swapFunction: TradingFunction): TradingFunction => ({
  ...swapFunction,
  maxInputShare: (1 + swapFunction.maxInputShare) ** MAX_SWAPS - 1,
})

/** Returns true if several of the edges use the same pool. */
export const usesPoolTwice = ({ edges, topology }: Graph, usedEdges: readonly number[]): boolean =>
  topology.hasWidePools && new Set(usedEdges.map((edge) => edges[edge]!.pool.id)).size < usedEdges.length

/** Fractions of an edge's input and output that remain after taxes and discounts, excluding the pool's own fee. */
function keptFractions(problem: Problem, edge: number): { readonly ofInput: number; readonly ofOutput: number } {
  const poolCurve = problem.graph.edges[edge]!.curve
  const { keepIn, keepOut } = curveOf(problem, edge)
  return { ofInput: keepIn / poolCurve.keepIn, ofOutput: keepOut / poolCurve.keepOut }
}

/** The pairs of one pool in an allocation. They trade together once there are two. */
export class SharedPool {
  readonly edges: number[] = []
  /** By edge: its index in the allocation, and the pool's token indices that it sells and buys. */
  readonly indices: number[] = []
  readonly sold: number[] = []
  readonly bought: number[] = []
  readonly tradingFunction: TradingFunction
  /** Graph index of each of the pool's tokens; −1 if unused. */
  readonly tokens: Int32Array
  /**
   * By token of the pool, in output base units: amount that the last trade added (positive) or removed (negative), and
   * its response to the price.
   */
  readonly value: Float64Array
  readonly weight: Float64Array
  /** Amounts bought by the last trade, one per trading edge, in output base units. */
  private readonly boughtValues: number[] = []
  private readonly trade: OptimalTrade
  private readonly keptOfInput: Float64Array
  private readonly keptOfOutput: Float64Array

  constructor(tradingFunction: TradingFunction) {
    const count = tradingFunction.balances.length
    this.tradingFunction = tradingFunction
    this.trade = new OptimalTrade(tradingFunction)
    this.tokens = new Int32Array(count)
    this.value = new Float64Array(count)
    this.weight = new Float64Array(count)
    this.keptOfInput = new Float64Array(count)
    this.keptOfOutput = new Float64Array(count)
    this.clear()
  }

  clear(): void {
    this.edges.length = this.indices.length = this.sold.length = this.bought.length = 0
    this.tokens.fill(-1)
    this.keptOfInput.fill(0)
    this.keptOfOutput.fill(0)
  }

  add(problem: Problem, edge: number, index: number): void {
    const { graph } = problem
    const { pool, tokenIn, tokenOut } = graph.edges[edge]!
    const { ofInput, ofOutput } = keptFractions(problem, edge)
    const sold = pool.tokens.indexOf(tokenIn)
    const bought = pool.tokens.indexOf(tokenOut)
    this.tokens[sold] = graph.topology.from[edge]!
    this.tokens[bought] = graph.topology.to[edge]!
    this.keptOfInput[sold] = ofInput
    this.keptOfOutput[bought] = ofOutput
    this.edges.push(edge)
    this.indices.push(index)
    this.sold.push(sold)
    this.bought.push(bought)
  }

  /** Work units of the last trade. */
  get work(): number {
    return 8 * this.trade.evaluations * this.tokens.length + this.indices.length ** 2
  }

  /** Prices of a common unit used by the last trade; see `OptimalTrade`. */
  get endPrices(): { readonly sold: readonly number[]; readonly bought: readonly number[] } {
    return { sold: Array.from(this.trade.priceIn), bought: Array.from(this.trade.priceOut) }
  }

  /** @see OptimalTrade.miss */
  get relativeError(): number {
    return this.trade.miss
  }

  /** Earnings of the last trade, in output base units. */
  get earned(): number {
    return -this.value.reduce((sum, part) => sum + part, 0)
  }

  /** True if the last trade used more than one pair. */
  get tradesSeveral(): boolean {
    return this.boughtValues.length > 1
  }

  /**
   * Trades at the token prices, and divides the amounts sold and bought among the edges by value.
   *
   * @param prices - by graph token
   * @param input - base units by index in the allocation, like `output`
   * @param buyPrices - prices of bought tokens, if they differ
   * @returns earnings in output base units
   */
  tradeTo(prices: Float64Array, input: Float64Array, output: Float64Array, buyPrices = prices): number {
    const { trade, tokens, keptOfInput, keptOfOutput, tradingFunction, value, weight, indices } = this
    const { units, keepIn, keepOut, balances } = tradingFunction
    for (let k = 0; k < tokens.length; k++) {
      const price = tokens[k]! < 0 ? 0 : prices[tokens[k]!]! / units[k]!
      const buyPrice = tokens[k]! < 0 ? 0 : buyPrices[tokens[k]!]! / units[k]!
      trade.priceIn[k] =
        keptOfInput[k] === 0 || price === 0 ? Number.POSITIVE_INFINITY : price / (keepIn * keptOfInput[k]!)
      trade.priceOut[k] = buyPrice * keepOut * keptOfOutput[k]!
    }
    for (const place of indices) input[place] = output[place] = 0
    this.boughtValues.length = 0
    if (!trade.solve()) {
      weight.fill(0)
      value.fill(0)
      return 0
    }
    let soldValue = 0
    let boughtValue = 0
    for (let k = 0; k < tokens.length; k++) {
      const change = trade.balances[k]! - balances[k]!
      value[k] = change === 0 ? 0 : change * (change > 0 ? trade.priceIn[k]! : trade.priceOut[k]!)
      weight[k] = trade.conductance[k]!
      if (change > 0) soldValue += value[k]!
      else boughtValue -= value[k]!
    }
    this.divideAmongEdges(prices, input, output)
    return boughtValue - soldValue
  }

  /**
   * Upper bound, in output base units, on the additional output of pairs because of fees that other pairs leave in the
   * pool. For each pair, counts at most its whole fee, and at most the price impact of the other pairs.
   */
  get feesReused(): number {
    const { boughtValues, weight, tradingFunction } = this
    // If rates depend on the pair alone, a fee on the input does not make any token cheaper.
    const { keepIn, keepOut, invariant } = tradingFunction
    const fee = 1 / ((invariant.isPairwise ? 1 : keepIn) * keepOut) - 1
    const total = boughtValues.reduce((sum, part) => sum + part, 0)
    const weakest = weight.reduce((min, part) => (part > 0 ? Math.min(min, part) : min), Number.POSITIVE_INFINITY)
    return boughtValues.reduce((sum, part) => sum + part * fee * Math.min(1, (total - part) / weakest), 0)
  }

  /** Rate of every edge of the pool after the last trade. */
  ratesAfter(problem: Problem): Map<number, number> {
    const { edges, topology } = problem.graph
    const { pool } = edges[this.edges[0]!]!
    const rates = new Map<number, number>()
    const ratios = this.trade.valuesMoved()
    for (const edge of topology.edgesOfPool.get(pool.id)!) {
      const { tokenIn, tokenOut } = edges[edge]!
      const part = ratios[pool.tokens.indexOf(tokenIn)]! / ratios[pool.tokens.indexOf(tokenOut)]!
      rates.set(edge, problem.rate[edge]! * part)
    }
    return rates
  }

  private divideAmongEdges(prices: Float64Array, input: Float64Array, output: Float64Array): void {
    const { indices, sold, bought: boughtIndices, value, tokens } = this
    for (let e = 0; e < indices.length; e++) {
      const [i, j] = [sold[e]!, boughtIndices[e]!]
      if (!(value[i]! > 0 && value[j]! < 0)) continue
      let boughtTotal = 0
      let soldTotal = 0
      for (let f = 0; f < indices.length; f++) {
        if (sold[f] === i && value[boughtIndices[f]!]! < 0) boughtTotal += value[boughtIndices[f]!]!
        if (boughtIndices[f] === j && value[sold[f]!]! > 0) soldTotal += value[sold[f]!]!
      }
      input[indices[e]!] = ((value[i]! / prices[tokens[i]!]!) * value[j]!) / boughtTotal
      const bought = (-value[j]! * value[i]!) / soldTotal
      output[indices[e]!] = bought / prices[tokens[j]!]!
      this.boughtValues.push(bought)
    }
  }
}

/** Outputs of a route's legs in order: a leg sees a shared pool as earlier legs left it. */
export class SequentialLegs {
  private readonly problem: Problem
  /** Balances of the pools that several of the edges use; null if there are none. */
  private readonly balances: ReadonlyMap<Pool, Float64Array> | null

  constructor(problem: Problem, edges: readonly number[]) {
    this.problem = problem
    const shared = problem.mayReusePools ? sharedBalances(problem, edges) : null
    this.balances = shared && shared.size > 0 ? shared : null
  }

  output(edge: number, input: number): number {
    const { problem } = this
    problem.budget.spend(4)
    if (!this.balances) return outputOf(curveOf(problem, edge), input)
    const { pool, tokenIn, tokenOut } = problem.graph.edges[edge]!
    const balances = this.balances.get(pool)
    if (!balances) return outputOf(curveOf(problem, edge), input)
    const { ofInput, ofOutput } = keptFractions(problem, edge)
    problem.budget.spend(SWAP_WORK)
    const [i, j] = [pool.tokens.indexOf(tokenIn), pool.tokens.indexOf(tokenOut)]
    return swapOn(tradingFunctionOf(problem.graph, pool)!, balances, i, j, input * ofInput) * ofOutput
  }
}

function sharedBalances({ graph }: Problem, edges: readonly number[]): ReadonlyMap<Pool, Float64Array> {
  const visited = new Set<Pool>()
  const shared = new Map<Pool, Float64Array>()
  for (const edge of edges) {
    const { pool } = graph.edges[edge]!
    if (pool.tokens.length === 2) continue
    if (visited.has(pool)) {
      const tradingFunction = tradingFunctionOf(graph, pool)
      if (tradingFunction) shared.set(pool, tradingFunction.balances.slice())
    }
    visited.add(pool)
  }
  return shared
}
