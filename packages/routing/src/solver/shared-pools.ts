/**
 * Pools of more than two tokens (multi-token pools) in routes that trade several of their pairs. All pairs of a pool
 * share its trading function, the equation that its balances must satisfy. An edge is a pool in one direction. An
 * allocation is a set of edges with token prices.
 */
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
  const result = uncachedTradingFunctionOf(pool)
  topology.tradingFunctions.set(pool, result)
  return result
}

/** Returns the trading function of a pool with any number of tokens; null if the family has none. */
function uncachedTradingFunctionOf(pool: Pool, maxSwaps = MAX_SWAPS): TradingFunction | null {
  const family = familyOf(pool.family)!
  const swapFunction = nullIfRefused(() => family.tradingFunction?.(pool) ?? null)
  return swapFunction && family.limitsEachSwap?.(pool) ? allowRepeatedSwaps(swapFunction, maxSwaps) : swapFunction
}

/**
 * Like `uncachedTradingFunctionOf`, for bounds. If the pool limits each swap, a route may make `MAX_SWAPS` swaps in a
 * row with each pair that sells a token. Each swap raises the limit of the next.
 */
export const boundingFunctionOf = (pool: Pool): TradingFunction | null =>
  uncachedTradingFunctionOf(pool, MAX_SWAPS * (pool.tokens.length - 1))

/** Raises the input limit of a trading function, which holds for one swap, to the limit of several swaps in a row. */
const allowRepeatedSwaps = (swapFunction: TradingFunction, maxSwaps: number): TradingFunction => ({
  ...swapFunction,
  maxInputShare: (1 + swapFunction.maxInputShare) ** maxSwaps - 1,
})

/**
 * Fee that a swap leaves for swaps of other pairs of its pool, as a fraction of its output. In some pools, the rate of
 * each pair depends only on the balances of its own two tokens. For these, the fee on the input does not count, because
 * it makes no token cheaper.
 */
export const reusableFee = ({ keepIn, keepOut, invariant }: TradingFunction): number =>
  1 / ((invariant.isPairwise ? 1 : keepIn) * keepOut) - 1

/** Returns true if several of the edges use the same pool. */
export const usesPoolTwice = ({ edges, topology }: Graph, usedEdges: readonly number[]): boolean =>
  topology.hasWidePools && new Set(usedEdges.map((edge) => edges[edge]!.pool.id)).size < usedEdges.length

/** Fractions of an edge's input and output that remain after taxes and discounts, excluding the pool's own fee. */
function keptFractions(problem: Problem, edge: number): { readonly ofInput: number; readonly ofOutput: number } {
  const poolCurve = problem.graph.edges[edge]!.curve
  const { keepIn, keepOut } = curveOf(problem, edge)
  return { ofInput: keepIn / poolCurve.keepIn, ofOutput: keepOut / poolCurve.keepOut }
}

/** The pairs of one pool in an allocation. If there are at least two, they trade together. */
export class SharedPool {
  readonly edges: number[] = []
  /** By index in `edges`: index of the edge in the allocation. */
  readonly allocationIndices: number[] = []
  /** By index in `edges`: positions in `pool.tokens` of the sold and the bought token. */
  readonly soldIndices: number[] = []
  readonly boughtIndices: number[] = []
  readonly tradingFunction: TradingFunction
  /** Graph index of each of the pool's tokens; −1 if unused. */
  readonly tokens: Int32Array
  /**
   * By token of the pool, in output base units: value that the last trade added to the pool (positive) or removed from
   * it (negative).
   */
  readonly valueChange: Float64Array
  /** By token of the pool, in output base units: response of the traded amount to the token's log price. */
  readonly valueConductance: Float64Array
  /** Values bought by the edges that take part in the last trade, in output base units. */
  private readonly boughtValues: number[] = []
  private readonly optimalTrade: OptimalTrade
  /**
   * By token of the pool: fraction of an amount that remains after taxes and discounts. `keptOfInput` is for amounts
   * that are sold to the pool, and `keptOfOutput` for amounts that are bought from it. 0 if no edge sells or buys the
   * token.
   */
  private readonly keptOfInput: Float64Array
  private readonly keptOfOutput: Float64Array

  constructor(tradingFunction: TradingFunction) {
    const count = tradingFunction.balances.length
    this.tradingFunction = tradingFunction
    this.optimalTrade = new OptimalTrade(tradingFunction)
    this.tokens = new Int32Array(count)
    this.valueChange = new Float64Array(count)
    this.valueConductance = new Float64Array(count)
    this.keptOfInput = new Float64Array(count)
    this.keptOfOutput = new Float64Array(count)
    this.clear()
  }

  clear(): void {
    this.edges.length = this.allocationIndices.length = this.soldIndices.length = this.boughtIndices.length = 0
    this.tokens.fill(-1)
    this.keptOfInput.fill(0)
    this.keptOfOutput.fill(0)
  }

  /** @param index - index of the edge in the allocation */
  add(problem: Problem, edge: number, index: number): void {
    const { graph } = problem
    const { pool, tokenIn, tokenOut } = graph.edges[edge]!
    const { ofInput, ofOutput } = keptFractions(problem, edge)
    const soldIndex = pool.tokens.indexOf(tokenIn)
    const boughtIndex = pool.tokens.indexOf(tokenOut)
    this.tokens[soldIndex] = graph.topology.from[edge]!
    this.tokens[boughtIndex] = graph.topology.to[edge]!
    this.keptOfInput[soldIndex] = ofInput
    this.keptOfOutput[boughtIndex] = ofOutput
    this.edges.push(edge)
    this.allocationIndices.push(index)
    this.soldIndices.push(soldIndex)
    this.boughtIndices.push(boughtIndex)
  }

  /** Work units of the last trade. */
  get work(): number {
    return 8 * this.optimalTrade.evaluations * this.tokens.length + this.allocationIndices.length ** 2
  }

  /** Prices of a common unit of each token in the last trade; see `OptimalTrade`. */
  get tradePrices(): { readonly pricesIn: readonly number[]; readonly pricesOut: readonly number[] } {
    return { pricesIn: Array.from(this.optimalTrade.priceIn), pricesOut: Array.from(this.optimalTrade.priceOut) }
  }

  /** Relative error of the last trade; see `OptimalTrade`. */
  get relativeError(): number {
    return this.optimalTrade.relativeError
  }

  /** Earnings of the last trade, in output base units. */
  get earnings(): number {
    return -this.valueChange.reduce((sum, valueChange) => sum + valueChange, 0)
  }

  /** True if the last trade used more than one pair. */
  get tradesSeveralPairs(): boolean {
    return this.boughtValues.length > 1
  }

  /**
   * Computes the pool's optimal trade at the token prices, and divides the amounts sold and bought among the edges by
   * value.
   *
   * @param prices - by graph token
   * @param input - set in place, like `output`: base units by index in the allocation
   * @param buyPrices - prices at which bought tokens are valued; by default `prices`
   * @returns earnings in output base units
   */
  tradeTo(prices: Float64Array, input: Float64Array, output: Float64Array, buyPrices = prices): number {
    const {
      optimalTrade,
      tokens,
      keptOfInput,
      keptOfOutput,
      tradingFunction,
      valueChange,
      valueConductance,
      allocationIndices,
    } = this
    const { units, keepIn, keepOut, balances } = tradingFunction
    for (let k = 0; k < tokens.length; k++) {
      const price = tokens[k]! < 0 ? 0 : prices[tokens[k]!]! / units[k]!
      const buyPrice = tokens[k]! < 0 ? 0 : buyPrices[tokens[k]!]! / units[k]!
      optimalTrade.priceIn[k] =
        keptOfInput[k] === 0 || price === 0 ? Number.POSITIVE_INFINITY : price / (keepIn * keptOfInput[k]!)
      optimalTrade.priceOut[k] = buyPrice * keepOut * keptOfOutput[k]!
    }
    for (const index of allocationIndices) input[index] = output[index] = 0
    this.boughtValues.length = 0
    if (!optimalTrade.solve()) {
      valueConductance.fill(0)
      valueChange.fill(0)
      return 0
    }
    let soldValue = 0
    let boughtValue = 0
    for (let k = 0; k < tokens.length; k++) {
      const change = optimalTrade.balances[k]! - balances[k]!
      valueChange[k] = change === 0 ? 0 : change * (change > 0 ? optimalTrade.priceIn[k]! : optimalTrade.priceOut[k]!)
      valueConductance[k] = optimalTrade.conductance[k]!
      if (change > 0) soldValue += valueChange[k]!
      else boughtValue -= valueChange[k]!
    }
    this.divideAmongEdges(prices, input, output)
    return boughtValue - soldValue
  }

  /**
   * Upper bound, in output base units, on the additional output that pairs get because other pairs leave their fees in
   * the pool. For each pair, this is at most its own whole fee, and less if the price impact of the other pairs is
   * small. If a single pair trades, other pairs are assumed to trade as much.
   */
  get maxReusedFees(): number {
    const { boughtValues, valueConductance, tradingFunction } = this
    const fee = reusableFee(tradingFunction)
    const total = boughtValues.reduce((sum, boughtValue) => sum + boughtValue, 0)
    const minConductance = valueConductance.reduce(
      (min, conductance) => (conductance > 0 ? Math.min(min, conductance) : min),
      Number.POSITIVE_INFINITY,
    )
    const othersOf = (boughtValue: number) => (this.tradesSeveralPairs ? total - boughtValue : boughtValue)
    return boughtValues.reduce(
      (sum, boughtValue) => sum + boughtValue * fee * Math.min(1, othersOf(boughtValue) / minConductance),
      0,
    )
  }

  /** By edge of the pool: rate for the next unit after the last trade. */
  ratesAfter(problem: Problem): Map<number, number> {
    const { edges, topology } = problem.graph
    const { pool } = edges[this.edges[0]!]!
    const rates = new Map<number, number>()
    const valueRatios = this.optimalTrade.valueRatios()
    for (const edge of topology.edgesOfPool.get(pool.id)!) {
      const { tokenIn, tokenOut } = edges[edge]!
      const rateRatio = valueRatios[pool.tokens.indexOf(tokenIn)]! / valueRatios[pool.tokens.indexOf(tokenOut)]!
      rates.set(edge, problem.rate[edge]! * rateRatio)
    }
    return rates
  }

  private divideAmongEdges(prices: Float64Array, input: Float64Array, output: Float64Array): void {
    const { allocationIndices, soldIndices, boughtIndices, valueChange, tokens } = this
    for (let e = 0; e < allocationIndices.length; e++) {
      const [i, j] = [soldIndices[e]!, boughtIndices[e]!]
      if (!(valueChange[i]! > 0 && valueChange[j]! < 0)) continue
      let boughtTotal = 0
      let soldTotal = 0
      for (let f = 0; f < allocationIndices.length; f++) {
        if (soldIndices[f] === i && valueChange[boughtIndices[f]!]! < 0) boughtTotal += valueChange[boughtIndices[f]!]!
        if (boughtIndices[f] === j && valueChange[soldIndices[f]!]! > 0) soldTotal += valueChange[soldIndices[f]!]!
      }
      input[allocationIndices[e]!] = ((valueChange[i]! / prices[tokens[i]!]!) * valueChange[j]!) / boughtTotal
      const boughtValue = (-valueChange[j]! * valueChange[i]!) / soldTotal
      output[allocationIndices[e]!] = boughtValue / prices[tokens[j]!]!
      this.boughtValues.push(boughtValue)
    }
  }
}

/** Computes the outputs of a route's legs in their order. A leg trades with a shared pool as earlier legs left it. */
export class SequentialLegs {
  private readonly problem: Problem
  /** Balances of the pools that several of the edges use; null if there are none. */
  private readonly balancesByPool: ReadonlyMap<Pool, Float64Array> | null

  constructor(problem: Problem, edges: readonly number[]) {
    this.problem = problem
    const balancesByPool = problem.mayReusePools ? sharedBalances(problem, edges) : null
    this.balancesByPool = balancesByPool && balancesByPool.size > 0 ? balancesByPool : null
  }

  /** Returns the output of the next leg, and records its effect on a shared pool. */
  output(edge: number, input: number): number {
    const { problem } = this
    problem.budget.spend(4)
    if (!this.balancesByPool) return outputOf(curveOf(problem, edge), input)
    const { pool, tokenIn, tokenOut } = problem.graph.edges[edge]!
    const balances = this.balancesByPool.get(pool)
    if (!balances) return outputOf(curveOf(problem, edge), input)
    const { ofInput, ofOutput } = keptFractions(problem, edge)
    problem.budget.spend(SWAP_WORK)
    const [i, j] = [pool.tokens.indexOf(tokenIn), pool.tokens.indexOf(tokenOut)]
    return swapOn(tradingFunctionOf(problem.graph, pool)!, balances, i, j, input * ofInput) * ofOutput
  }
}

/** Initial balances of the multi-token pools that several of the edges use. */
function sharedBalances({ graph }: Problem, edges: readonly number[]): ReadonlyMap<Pool, Float64Array> {
  const visited = new Set<Pool>()
  const balancesByPool = new Map<Pool, Float64Array>()
  for (const edge of edges) {
    const { pool } = graph.edges[edge]!
    if (pool.tokens.length === 2) continue
    if (visited.has(pool)) {
      const tradingFunction = tradingFunctionOf(graph, pool)
      if (tradingFunction) balancesByPool.set(pool, tradingFunction.balances.slice())
    }
    visited.add(pool)
  }
  return balancesByPool
}
