/**
 * Column generation: extends an allocation (a flow over some edges of the graph, with a price for each token) by edges
 * that would earn at these prices. An edge is a pool in one direction, and a column of the optimization problem. It
 * earns if its output is worth more than its input. The frontier (`frontier.ts`) finds the paths that would earn. Their
 * edges are called paying edges. A token that already carries flow is live. The other tokens of these paths are called
 * paying tokens. Called by `search.ts`, `refine/cycles.ts`, `proof/`, and `subgraph/`.
 */

import { hasNoLegCosts, legBaseCost, minLegCost, type Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { solveDual } from '../solver/dual-solver.ts'
import {
  BALANCING_ROUNDS,
  IDLE_EDGE_MAX_GAS,
  IDLE_EDGE_MAX_MARGIN,
  JOINING_TOKENS_GROWTH,
  MAX_COLUMN_ROUNDS,
  MAX_IDLE_EDGES,
  MAX_JOINING_TOKENS,
  MAX_RESIDUAL,
  MIN_COLUMN_EARNINGS,
  MIN_COLUMN_GAS_SHARE,
  MIN_EXPLORED_GAS_SHARE,
} from '../tolerances.ts'
import type { ColumnArrays } from './column-arrays.ts'
import { constantProductEarnings } from './earnings-bound.ts'
import type { Frontier } from './frontier.ts'

/**
 * Alternates between solving the allocation and adding profitable edges. Stops if no edge is left to add, or after
 * `rounds` rounds. On return, the allocation is solved and the frontier is explored.
 */
export function generateColumns(
  problem: Problem,
  allocation: Allocation,
  frontier: Frontier,
  rounds = MAX_COLUMN_ROUNDS,
): void {
  const minExploredEarnings = MIN_EXPLORED_GAS_SHARE * minLegCost(problem)
  let pricing: ColumnPricing | undefined
  for (let round = 0; round < rounds; round++) {
    solveDual(allocation, MAX_RESIDUAL)
    frontier.explore(allocation, minExploredEarnings)
    if (frontier.payingEdges.length === 0) return
    pricing ??= new ColumnPricing(problem, allocation, frontier)
    if (pricing.addColumns(round === 0) === 0) return
  }
  solveDual(allocation, MAX_RESIDUAL)
  frontier.explore(allocation, minExploredEarnings)
}

/** A token outside the allocation, with the estimated earnings of the edges around it, in output base units. */
type DetourToken = { readonly token: number; readonly earnings: number }

/** Estimates the earnings of a frontier's edges, and adds those that earn enough to the allocation. */
class ColumnPricing {
  private readonly problem: Problem
  private readonly allocation: Allocation
  private readonly frontier: Frontier
  private readonly columnArrays: ColumnArrays
  /** Edges of the frontier that may earn enough. */
  private promisingEdges: number[] = []

  constructor(problem: Problem, allocation: Allocation, frontier: Frontier) {
    this.problem = problem
    this.allocation = allocation
    this.frontier = frontier
    this.columnArrays = frontier.columnArrays
  }

  /** Adds edges to the allocation. Returns their number. */
  addColumns(isFirstRound: boolean): number {
    const { problem, allocation, frontier } = this
    const { from, to } = problem.graph.topology
    const minEarnings = MIN_COLUMN_EARNINGS * allocation.value
    this.selectPromising(minEarnings)
    if (this.promisingEdges.length === 0) return 0
    this.balancePrices()
    const pathEdges = this.detourEdges(minEarnings, isFirstRound)
    for (const edge of pathEdges) allocation.addEnds(edge, frontier.valueLabel)
    let addedCount = 0
    for (const edge of pathEdges) if (allocation.addEdge(edge)) addedCount++
    for (let k = 0; k < this.promisingEdges.length; k++) {
      const edge = this.promisingEdges[k]!
      if (allocation.tokenIndex[from[edge]!]! < 0 || allocation.tokenIndex[to[edge]!]! < 0) continue
      const minEdgeEarnings = Math.max(minEarnings, legBaseCost(problem, edge) * MIN_COLUMN_GAS_SHARE)
      if (this.earningsOf(k) > minEdgeEarnings && allocation.addEdge(edge)) addedCount++
    }
    return addedCount
  }

  /**
   * Selects the edges that could earn enough at the minimum cost of their input and the maximum value of their output.
   * A quarter of `minEarnings` suffices here, because the earnings of several edges around a token are added up later.
   */
  private selectPromising(minEarnings: number): void {
    const { columnArrays } = this
    const { logPrice, logCost, logValue } = columnArrays
    const { graph } = this.problem
    const { from, to } = graph.topology
    const { payingEdges, payingTokens, liveTokens, costLabel, valueLabel, rate } = this.frontier
    columnArrays.reserve(payingEdges.length)
    for (const token of liveTokens) logPrice[token] = Math.log(costLabel[token]!)
    for (const token of payingTokens) {
      logCost[token] = Math.log(costLabel[token]!)
      logValue[token] = Math.log(valueLabel[token]!)
      logPrice[token] = (logCost[token]! + logValue[token]!) / 2
    }
    this.promisingEdges = []
    this.problem.budget.spend(4 * (payingEdges.length + payingTokens.length + liveTokens.length))
    for (const edge of payingEdges) {
      const soldToken = from[edge]!
      const boughtToken = to[edge]!
      const sqrtGain = Math.sqrt((rate[edge]! * valueLabel[boughtToken]!) / costLabel[soldToken]!) - 1
      const valueConductance = graph.conductance[edge]! * costLabel[soldToken]!
      if (!(constantProductEarnings(valueConductance, sqrtGain) > minEarnings / 4)) continue
      const k = this.promisingEdges.length
      columnArrays.soldTokens[k] = soldToken
      columnArrays.boughtTokens[k] = boughtToken
      columnArrays.logRate[k] = Math.log(rate[edge]!)
      columnArrays.valueConductance[k] = valueConductance
      this.promisingEdges.push(edge)
    }
  }

  /** Earnings of the promising edge at index `k` at the estimated prices, in output base units. */
  private earningsOf(k: number): number {
    const { logPrice, logRate, valueConductance, soldTokens, boughtTokens } = this.columnArrays
    const logGain = logRate[k]! + logPrice[boughtTokens[k]!]! - logPrice[soldTokens[k]!]!
    return logGain > 0 ? constantProductEarnings(valueConductance[k]!, Math.expm1(logGain / 2)) : 0
  }

  /**
   * Estimates prices of the tokens outside the allocation; the prices of live tokens stay fixed. The edges act like the
   * resistors of an electrical network whose voltages are the log prices. Each round sets the log price of a token to
   * the average that its edges imply, weighted by conductance. A few rounds approximate the prices.
   */
  private balancePrices(): void {
    const { promisingEdges, columnArrays } = this
    const {
      logPrice,
      logCost,
      logValue,
      logRate,
      valueConductance,
      soldTokens,
      boughtTokens,
      conductanceSum,
      weightedLogPriceSum,
    } = columnArrays
    const { payingTokens } = this.frontier
    for (let round = 0; round < BALANCING_ROUNDS; round++) {
      this.problem.budget.spend(2 * (promisingEdges.length + payingTokens.length))
      for (const token of payingTokens) conductanceSum[token] = weightedLogPriceSum[token] = 0
      for (let k = 0; k < promisingEdges.length; k++) {
        const soldToken = soldTokens[k]!
        const boughtToken = boughtTokens[k]!
        const logProceeds = logRate[k]! + logPrice[boughtToken]!
        if (!(logProceeds > logPrice[soldToken]!)) continue
        const edgeConductance = valueConductance[k]!
        conductanceSum[soldToken]! += edgeConductance
        weightedLogPriceSum[soldToken]! += edgeConductance * logProceeds
        conductanceSum[boughtToken]! += edgeConductance
        weightedLogPriceSum[boughtToken]! += edgeConductance * (logPrice[soldToken]! - logRate[k]!)
      }
      for (const token of payingTokens) {
        if (!(conductanceSum[token]! > 0)) continue
        const balancedLogPrice = weightedLogPriceSum[token]! / conductanceSum[token]!
        logPrice[token] = Math.min(logValue[token]!, Math.max(logCost[token]!, balancedLogPrice))
      }
    }
  }

  /**
   * Edges of the paths through tokens outside the allocation that may earn most. A path begins and ends at live tokens.
   */
  private detourEdges(minEarnings: number, isFirstRound: boolean): ReadonlySet<number> {
    const { problem, allocation, frontier, promisingEdges } = this
    const { earningsSum, soldTokens, boughtTokens } = this.columnArrays
    const { isLive, payingTokens } = frontier
    const noLegCosts = hasNoLegCosts(problem)
    for (const token of payingTokens) earningsSum[token] = 0
    for (let k = 0; k < promisingEdges.length; k++) {
      const soldToken = soldTokens[k]!
      const boughtToken = boughtTokens[k]!
      if (isLive[soldToken]! + isLive[boughtToken]! === 2) continue
      const earning = this.earningsOf(k)
      earningsSum[soldToken]! += earning
      earningsSum[boughtToken]! += earning
    }
    const candidates: DetourToken[] = []
    for (const token of payingTokens) {
      if (!(earningsSum[token]! > minEarnings)) continue
      if (noLegCosts || earningsSum[token]! > MIN_COLUMN_GAS_SHARE * this.detourCost(token))
        candidates.push({ token, earnings: earningsSum[token]! })
    }
    const maxTokens = Math.max(MAX_JOINING_TOKENS, isFirstRound ? 0 : JOINING_TOKENS_GROWTH * allocation.tokens.length)
    const chosenDetours = candidates.sort((a, b) => b.earnings - a.earnings).slice(0, maxTokens)
    return new Set(chosenDetours.flatMap(({ token }) => this.frontier.pathThrough(token)))
  }

  private detourCost(token: number): number {
    return this.frontier.pathThrough(token).reduce((sum, edge) => sum + legBaseCost(this.problem, edge), 0)
  }
}

/**
 * Adds edges between tokens of the allocation that would lose only slightly at the current prices. They carry no flow
 * at first, but can replace edges that pruning removes.
 */
export function addIdleEdges(problem: Problem, allocation: Allocation): void {
  const { graph, rate, target, costPerGas } = problem
  const { offset, to } = graph.topology
  const margin = Math.min(IDLE_EDGE_MAX_MARGIN, (IDLE_EDGE_MAX_GAS * costPerGas) / allocation.value)
  let remaining = MAX_IDLE_EDGES
  for (const token of [...allocation.tokens]) {
    if (token === target) continue
    problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
    const minValue = allocation.price(token) * (1 - margin)
    for (let edge = offset[token]!; edge < offset[token + 1]! && remaining > 0; edge++) {
      const neighbor = to[edge]!
      if (allocation.tokenIndex[neighbor]! < 0 || !(rate[edge]! * allocation.price(neighbor) > minValue)) continue
      if (allocation.addEdge(edge)) remaining--
    }
  }
  solveDual(allocation, MAX_RESIDUAL)
}
