/** Column generation: finds the edges outside an allocation that would pay at its prices. */

import { hasNoLegCosts, legBaseCost, minLegCost, type Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import {
  BALANCING_ROUNDS,
  COLUMN_BENEFIT,
  COLUMN_GAS_SHARE,
  COLUMN_ROUNDS,
  IDLE_EDGE_MAX_GAS,
  IDLE_EDGE_MAX_MARGIN,
  JOINING_TOKENS_GROWTH,
  LOOK_GAS_SHARE,
  MAX_IDLE_EDGES,
  MAX_JOINING_TOKENS,
  MAX_RESIDUAL,
} from '../tolerances.ts'
import type { ColumnRoom } from './column-room.ts'
import type { Frontier } from './frontier.ts'

/**
 * Alternates between solving and adding profitable edges, until no edge is left to add or the maximum number of rounds is reached.
 */
export function generateColumns(
  problem: Problem,
  allocation: Allocation,
  frontier: Frontier,
  rounds = COLUMN_ROUNDS,
): void {
  const min = LOOK_GAS_SHARE * minLegCost(problem)
  let pricing: Pricing | undefined
  for (let round = 0; round < rounds; round++) {
    solve(allocation, MAX_RESIDUAL)
    frontier.explore(allocation, min)
    if (frontier.edges.length === 0) return
    pricing ??= new Pricing(problem, allocation, frontier)
    if (pricing.addColumns(round === 0) === 0) return
  }
  solve(allocation, MAX_RESIDUAL)
  frontier.explore(allocation, min)
}

type Detour = { readonly token: number; readonly benefit: number }

/** Evaluates the edges of a frontier by their earnings, to first order in the prices. */
class Pricing {
  private readonly problem: Problem
  private readonly allocation: Allocation
  private readonly frontier: Frontier
  private readonly room: ColumnRoom
  /** The edges that may earn enough. */
  private edges: number[] = []

  constructor(problem: Problem, allocation: Allocation, frontier: Frontier) {
    this.problem = problem
    this.allocation = allocation
    this.frontier = frontier
    this.room = frontier.room
  }

  addColumns(first: boolean): number {
    const { problem, allocation, frontier } = this
    const { from, to } = problem.graph.topology
    const min = COLUMN_BENEFIT * allocation.value
    this.select(min)
    if (this.edges.length === 0) return 0
    this.relax()
    const ways = this.detours(min, first)
    for (const edge of ways) allocation.addEnds(edge, frontier.valueLabel)
    let added = 0
    for (const edge of ways) if (allocation.addEdge(edge)) added++
    for (let k = 0; k < this.edges.length; k++) {
      const edge = this.edges[k]!
      if (allocation.place[from[edge]!]! < 0 || allocation.place[to[edge]!]! < 0) continue
      const enough = Math.max(min, legBaseCost(problem, edge) * COLUMN_GAS_SHARE)
      if (this.earning(k) > enough && allocation.addEdge(edge)) added++
    }
    return added
  }

  /** Keeps edges that earn enough even at the lowest cost of their input and the highest value of their output. */
  private select(min: number): void {
    const { room } = this
    const { logPrice, logCost, logValue } = room
    const { graph } = this.problem
    const { from, to } = graph.topology
    const { edges, tokens, liveTokens, costLabel, valueLabel, rate } = this.frontier
    room.fit(edges.length)
    for (const token of liveTokens) logPrice[token] = Math.log(costLabel[token]!)
    for (const token of tokens) {
      logCost[token] = Math.log(costLabel[token]!)
      logValue[token] = Math.log(valueLabel[token]!)
      logPrice[token] = (logCost[token]! + logValue[token]!) / 2
    }
    this.edges = []
    this.problem.budget.spend(4 * (edges.length + tokens.length + liveTokens.length))
    for (const edge of edges) {
      const u = from[edge]!
      const v = to[edge]!
      const fall = Math.sqrt((rate[edge]! * valueLabel[v]!) / costLabel[u]!) - 1
      const conductance = graph.conductance[edge]! * costLabel[u]!
      if (!(2 * conductance * fall * fall > min / 4)) continue
      const k = this.edges.length
      room.sold[k] = u
      room.bought[k] = v
      room.logRate[k] = Math.log(rate[edge]!)
      room.conductance[k] = conductance
      this.edges.push(edge)
    }
  }

  /** Earnings of an edge as a pool of x·y = k that trades until its rate equals the balanced prices. */
  private earning(k: number): number {
    const { logPrice, logRate, conductance, sold, bought } = this.room
    const gain = logRate[k]! + logPrice[bought[k]!]! - logPrice[sold[k]!]!
    if (!(gain > 0)) return 0
    const fall = Math.expm1(gain / 2)
    return 2 * conductance[k]! * fall * fall
  }

  /** Balances the prices of the candidate tokens, with all others fixed: a resistor network, relaxed in a few rounds. */
  private relax(): void {
    const { edges, room } = this
    const { logPrice, logCost, logValue, logRate, conductance, sold, bought, weight, moment } = room
    const { tokens } = this.frontier
    for (let round = 0; round < BALANCING_ROUNDS; round++) {
      this.problem.budget.spend(2 * (edges.length + tokens.length))
      for (const token of tokens) weight[token] = moment[token] = 0
      for (let k = 0; k < edges.length; k++) {
        const u = sold[k]!
        const v = bought[k]!
        const value = logRate[k]! + logPrice[v]!
        if (!(value > logPrice[u]!)) continue
        const weighs = conductance[k]!
        weight[u]! += weighs
        moment[u]! += weighs * value
        weight[v]! += weighs
        moment[v]! += weighs * (logPrice[u]! - logRate[k]!)
      }
      for (const token of tokens) {
        if (!(weight[token]! > 0)) continue
        const balanced = moment[token]! / weight[token]!
        logPrice[token] = Math.min(logValue[token]!, Math.max(logCost[token]!, balanced))
      }
    }
  }

  /** Edges of the most promising paths through tokens outside the allocation. */
  private detours(min: number, first: boolean): ReadonlySet<number> {
    const { problem, allocation, frontier, edges } = this
    const { benefit, sold, bought } = this.room
    const { live, tokens } = frontier
    const free = hasNoLegCosts(problem)
    for (const token of tokens) benefit[token] = 0
    for (let k = 0; k < edges.length; k++) {
      const u = sold[k]!
      const v = bought[k]!
      if (live[u]! + live[v]! === 2) continue
      const earning = this.earning(k)
      benefit[u]! += earning
      benefit[v]! += earning
    }
    const promising: Detour[] = []
    for (const token of tokens) {
      if (!(benefit[token]! > min)) continue
      if (free || benefit[token]! > COLUMN_GAS_SHARE * this.costOfWay(token))
        promising.push({ token, benefit: benefit[token]! })
    }
    const max = Math.max(MAX_JOINING_TOKENS, first ? 0 : JOINING_TOKENS_GROWTH * allocation.tokens.length)
    const chosen = promising.sort((a, b) => b.benefit - a.benefit).slice(0, max)
    return new Set(chosen.flatMap(({ token }) => this.frontier.pathThrough(token)))
  }

  private costOfWay(token: number): number {
    return this.frontier.pathThrough(token).reduce((sum, edge) => sum + legBaseCost(this.problem, edge), 0)
  }
}

/** Adds idle edges slightly below the current prices, between tokens of the allocation, as a fallback for pruning. */
export function addAlternatives(problem: Problem, allocation: Allocation): void {
  const { graph, rate, target, costPerGas } = problem
  const { offset, to } = graph.topology
  const margin = Math.min(IDLE_EDGE_MAX_MARGIN, (IDLE_EDGE_MAX_GAS * costPerGas) / allocation.value)
  let remaining = MAX_IDLE_EDGES
  for (const token of [...allocation.tokens]) {
    if (token === target) continue
    problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
    const min = allocation.price(token) * (1 - margin)
    for (let edge = offset[token]!; edge < offset[token + 1]! && remaining > 0; edge++) {
      const other = to[edge]!
      if (allocation.place[other]! < 0 || !(rate[edge]! * allocation.price(other) > min)) continue
      if (allocation.addEdge(edge)) remaining--
    }
  }
  solve(allocation, MAX_RESIDUAL)
}
