/** Column generation: which further edges would pay at the prices found so far. */
import type { Frontier } from './frontier.ts'
import { isFree, leastCost, leastLegCost, type Problem } from './problem.ts'
import { roomFor } from './scratch.ts'
import { TIGHT, type WaterFilling } from './water-filling.ts'

const MAX_ROUNDS = 24
/** A column must promise this part of the trade, and this part of its gas. */
const LEAST_BENEFIT = 5e-7
const GAS_SHARE = 0.2
/** Edges that cannot earn this part of their gas are not even looked at. */
const LEAST_SHARE = 0.05
/** Tokens that join in the first round at most; later, so many for every token in the division. */
const DETOURS = 6
const GROWTH = 2
/** Rounds of balancing the prices of tokens that may join. */
const RELAXATIONS = 4
/** Alternatives may be dearer by what this much gas is worth, or by this part. */
const MARGIN_GAS = 300_000
const MOST_MARGIN = 0.01
const ALTERNATIVES = 60

/** Solves, adds what pays at the new prices, and solves again until nothing is left to add, or for as many rounds. */
export function generateColumns(
  problem: Problem,
  filling: WaterFilling,
  frontier: Frontier,
  rounds = MAX_ROUNDS,
): void {
  const least = LEAST_SHARE * leastLegCost(problem)
  let pricing: Pricing | undefined
  for (let round = 0; round < rounds; round++) {
    filling.solve(TIGHT)
    frontier.explore(filling, least)
    if (frontier.edges.length === 0) return
    pricing ??= new Pricing(problem, filling, frontier)
    if (pricing.addColumns(round === 0) === 0) return
  }
  filling.solve(TIGHT)
  frontier.explore(filling, least)
}

type Detour = { readonly token: number; readonly benefit: number }

/** Judges the edges of a frontier by what they would earn, to first order in the prices. */
class Pricing {
  private readonly problem: Problem
  private readonly filling: WaterFilling
  private readonly frontier: Frontier
  /** Natural logarithms of the prices at which tokens that may join would be neither left over nor short, and of their bounds. */
  private readonly logPrice: Float64Array
  private readonly logCost: Float64Array
  private readonly logWorth: Float64Array
  /** Of the edges around a token: the sum of their conductances, in output base units, and of what they would earn. */
  private readonly weight: Float64Array
  private readonly moment: Float64Array
  private readonly benefit: Float64Array
  /** The edges that may earn enough; with logarithms of their rates and conductances at the cost of what they sell. */
  private edges: number[] = []
  private sold: Int32Array
  private bought: Int32Array
  private logRate: Float64Array
  private conductance: Float64Array

  constructor(problem: Problem, filling: WaterFilling, frontier: Frontier) {
    const { tokens, scratch } = problem.graph.topology
    const count = tokens.length
    this.problem = problem
    this.filling = filling
    this.frontier = frontier
    this.logPrice = scratch.floats(count)
    this.logCost = scratch.floats(count)
    this.logWorth = scratch.floats(count)
    this.weight = scratch.floats(count)
    this.moment = scratch.floats(count)
    this.benefit = scratch.floats(count)
    this.sold = this.bought = scratch.ints(0)
    this.logRate = this.conductance = scratch.floats(0)
  }

  addColumns(first: boolean): number {
    const { problem, filling, frontier } = this
    const { from, to } = problem.graph.topology
    const least = LEAST_BENEFIT * filling.value
    this.select(least)
    if (this.edges.length === 0) return 0
    this.relax()
    const ways = this.detours(least, first)
    for (const edge of ways)
      for (const token of [from[edge]!, to[edge]!]) filling.addToken(token, Math.log(frontier.worth[token]!))
    let added = 0
    for (const edge of ways) if (filling.addEdge(edge)) added++
    for (let k = 0; k < this.edges.length; k++) {
      const edge = this.edges[k]!
      if (filling.place[from[edge]!]! < 0 || filling.place[to[edge]!]! < 0) continue
      const enough = Math.max(least, leastCost(problem, edge) * GAS_SHARE)
      if (this.earning(k) > enough && filling.addEdge(edge)) added++
    }
    return added
  }

  /** Leaves out what would earn too little even between the cost of what it sells and the worth of what it buys. */
  private select(least: number): void {
    const { logPrice, logCost, logWorth } = this
    const { graph } = this.problem
    const { from, to } = graph.topology
    const { edges, tokens, liveTokens, cost, worth, rate } = this.frontier
    if (this.logRate.length < edges.length) this.makeRoom(edges.length)
    for (const token of liveTokens) logPrice[token] = Math.log(cost[token]!)
    for (const token of tokens) {
      logCost[token] = Math.log(cost[token]!)
      logWorth[token] = Math.log(worth[token]!)
      logPrice[token] = (logCost[token]! + logWorth[token]!) / 2
    }
    this.edges = []
    this.problem.budget.spend(4 * (edges.length + tokens.length + liveTokens.length))
    for (const edge of edges) {
      const u = from[edge]!
      const v = to[edge]!
      const fall = Math.sqrt((rate[edge]! * worth[v]!) / cost[u]!) - 1
      const conductance = graph.conductance[edge]! * cost[u]!
      if (!(2 * conductance * fall * fall > least / 4)) continue
      const k = this.edges.length
      this.sold[k] = u
      this.bought[k] = v
      this.logRate[k] = Math.log(rate[edge]!)
      this.conductance[k] = conductance
      this.edges.push(edge)
    }
  }

  private makeRoom(edges: number): void {
    const { scratch } = this.problem.graph.topology
    const room = roomFor(edges)
    this.sold = scratch.ints(room)
    this.bought = scratch.ints(room)
    this.logRate = scratch.floats(room)
    this.conductance = scratch.floats(room)
  }

  /** What an edge would earn: what a pool of x·y = k does until its rate has fallen to that of the balanced prices. */
  private earning(k: number): number {
    const { logPrice, logRate, conductance, sold, bought } = this
    const gain = logRate[k]! + logPrice[bought[k]!]! - logPrice[sold[k]!]!
    if (!(gain > 0)) return 0
    const fall = Math.expm1(gain / 2)
    return 2 * conductance[k]! * fall * fall
  }

  /** Balances the prices of the tokens that may join, all others' standing: a network of resistors, relaxed a few times. */
  private relax(): void {
    const { logPrice, logCost, logWorth, logRate, conductance, sold, bought, weight, moment, edges } = this
    const { tokens } = this.frontier
    for (let round = 0; round < RELAXATIONS; round++) {
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
        logPrice[token] = Math.min(logWorth[token]!, Math.max(logCost[token]!, balanced))
      }
    }
  }

  /** The ways through the tokens that promise most, from the division and back to it. */
  private detours(least: number, first: boolean): ReadonlySet<number> {
    const { problem, filling, frontier, benefit, sold, bought, edges } = this
    const { live, tokens } = frontier
    const free = isFree(problem)
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
      if (!(benefit[token]! > least)) continue
      if (free || benefit[token]! > GAS_SHARE * this.costOfWay(token))
        promising.push({ token, benefit: benefit[token]! })
    }
    const most = Math.max(DETOURS, first ? 0 : GROWTH * filling.tokens.length)
    const chosen = promising.sort((a, b) => b.benefit - a.benefit).slice(0, most)
    return new Set(chosen.flatMap(({ token }) => this.way(token)))
  }

  private costOfWay(token: number): number {
    return this.way(token).reduce((sum, edge) => sum + leastCost(this.problem, edge), 0)
  }

  /** The cheapest way to a token and the best way on, both within the frontier. */
  private way(token: number): readonly number[] {
    const { problem, frontier } = this
    const { from, to } = problem.graph.topology
    const { live, next, previous } = frontier
    const edges: number[] = []
    problem.budget.spend(4 * problem.maxHops)
    for (let at = token; live[at] === 0 && edges.length < problem.maxHops; at = from[previous[at]!]!)
      edges.push(previous[at]!)
    for (let at = token; live[at] === 0 && edges.length < 2 * problem.maxHops; at = to[next[at]!]!)
      edges.push(next[at]!)
    return edges
  }
}

/** Idle edges a little below the present prices, between tokens of the set: what pruning may fall back on. */
export function addAlternatives(problem: Problem, filling: WaterFilling): void {
  const { graph, rate, target, perGas } = problem
  const { offset, to } = graph.topology
  const margin = Math.min(MOST_MARGIN, (MARGIN_GAS * perGas) / filling.value)
  let left = ALTERNATIVES
  for (const token of [...filling.tokens]) {
    if (token === target) continue
    problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
    const least = filling.price(token) * (1 - margin)
    for (let edge = offset[token]!; edge < offset[token + 1]! && left > 0; edge++) {
      const other = to[edge]!
      if (filling.place[other]! < 0 || !(rate[edge]! * filling.price(other) > least)) continue
      if (filling.addEdge(edge)) left--
    }
  }
  filling.solve(TIGHT)
}
