/** Column generation: which further edges would pay at the prices found so far. */
import type { Frontier } from './frontier.ts'
import { leastCost, type Problem } from './problem.ts'
import type { WaterFilling } from './water-filling.ts'

const MAX_ROUNDS = 24
/** A column must promise this part of the trade, and this part of its gas. */
const LEAST_BENEFIT = 5e-7
const GAS_SHARE = 0.2
/** Tokens that join in one round at most, beside one for every two tokens in the division. */
const DETOURS = 6
/** Rounds of balancing the prices of tokens that may join. */
const RELAXATIONS = 4
const LOOSE = 1e-5
/** Alternatives may be dearer by what this much gas is worth, or by this part. */
const MARGIN_GAS = 300_000
const MOST_MARGIN = 0.01
const ALTERNATIVES = 60
export const TIGHT = 1e-8

/** Solves, adds what pays at the new prices, and solves again until nothing is left to add. */
export function generateColumns(problem: Problem, filling: WaterFilling, frontier: Frontier): void {
  const pricing = new Pricing(problem, filling, frontier)
  let tolerance = LOOSE
  for (let round = 0; round < MAX_ROUNDS; round++) {
    filling.solve(tolerance)
    frontier.explore(filling)
    if (pricing.addColumns() > 0) {
      if (round > 0) tolerance = TIGHT
      continue
    }
    if (filling.residual <= TIGHT || tolerance === TIGHT) return
    tolerance = TIGHT
  }
  filling.solve(TIGHT)
  frontier.explore(filling)
}

type Detour = { readonly token: number; readonly benefit: number }

/** Judges the edges of a frontier by what they would earn, to first order in the prices. */
class Pricing {
  private readonly problem: Problem
  private readonly filling: WaterFilling
  private readonly frontier: Frontier
  /** Natural logarithms of the prices at which tokens that may join would be neither left over nor short. */
  private readonly logPrice: Float64Array
  private readonly weight: Float64Array
  private readonly moment: Float64Array
  private readonly benefit: Float64Array

  constructor(problem: Problem, filling: WaterFilling, frontier: Frontier) {
    const count = problem.graph.topology.tokens.length
    this.problem = problem
    this.filling = filling
    this.frontier = frontier
    this.logPrice = new Float64Array(count)
    this.weight = new Float64Array(count)
    this.moment = new Float64Array(count)
    this.benefit = new Float64Array(count)
  }

  addColumns(): number {
    const { problem, filling, frontier } = this
    const { from, to } = problem.graph.topology
    if (frontier.edges.length === 0) return 0
    this.relax()
    const ways = this.detours()
    for (const edge of ways)
      for (const token of [from[edge]!, to[edge]!]) filling.addToken(token, Math.log(frontier.worth[token]!))
    const least = LEAST_BENEFIT * filling.value
    let added = 0
    for (const edge of ways) if (filling.addEdge(edge)) added++
    for (const edge of frontier.edges) {
      if (filling.place[from[edge]!]! < 0 || filling.place[to[edge]!]! < 0) continue
      const enough = Math.max(least, leastCost(problem, edge) * GAS_SHARE)
      if (this.earning(edge) > enough && filling.addEdge(edge)) added++
    }
    return added
  }

  /** What an edge would earn: half its conductance times the square of the gain that is left at the balanced prices. */
  private earning(edge: number): number {
    const { logPrice } = this
    const { rate, graph } = this.problem
    const { from, to } = graph.topology
    const gain = Math.log(rate[edge]!) + logPrice[to[edge]!]! - logPrice[from[edge]!]!
    if (!(gain > 0)) return 0
    const fall = Math.exp(gain / 2) - 1
    return 2 * graph.conductance[edge]! * Math.exp(logPrice[from[edge]!]!) * fall * fall
  }

  /** Balances the prices of the tokens that may join, all others' standing: a network of resistors, relaxed a few times. */
  private relax(): void {
    const { problem, frontier, logPrice, weight, moment } = this
    const { rate, graph } = problem
    const { from, to } = graph.topology
    const { cost, worth, live, edges, tokens } = frontier
    for (const edge of edges) {
      for (const token of [from[edge]!, to[edge]!])
        logPrice[token] = live[token] === 1 ? Math.log(cost[token]!) : Math.log(cost[token]! * worth[token]!) / 2
    }
    for (let round = 0; round < RELAXATIONS; round++) {
      for (const token of tokens) weight[token] = moment[token] = 0
      for (const edge of edges) {
        const [u, v] = [from[edge]!, to[edge]!]
        if (live[u]! + live[v]! === 2) continue
        const logRate = Math.log(rate[edge]!)
        const gain = logRate + logPrice[v]! - logPrice[u]!
        if (!(gain > 0)) continue
        const conductance = graph.conductance[edge]! * Math.exp(logPrice[u]!)
        weight[u]! += conductance
        moment[u]! += conductance * (logRate + logPrice[v]!)
        weight[v]! += conductance
        moment[v]! += conductance * (logPrice[u]! - logRate)
      }
      for (const token of tokens) {
        if (!(weight[token]! > 0)) continue
        const balanced = moment[token]! / weight[token]!
        logPrice[token] = Math.min(Math.log(worth[token]!), Math.max(Math.log(cost[token]!), balanced))
      }
    }
  }

  /** The ways through the tokens that promise most, from the division and back to it. */
  private detours(): ReadonlySet<number> {
    const { problem, filling, frontier, benefit } = this
    const { from, to } = problem.graph.topology
    const { live, edges, tokens } = frontier
    for (const token of tokens) benefit[token] = 0
    for (const edge of edges) {
      const [u, v] = [from[edge]!, to[edge]!]
      if (live[u]! + live[v]! === 2) continue
      const earning = this.earning(edge)
      if (live[u] === 0) benefit[u]! += earning
      if (live[v] === 0) benefit[v]! += earning
    }
    const least = LEAST_BENEFIT * filling.value
    const promising: Detour[] = []
    for (const token of tokens) {
      if (!(benefit[token]! > least)) continue
      if (benefit[token]! > GAS_SHARE * this.way(token).reduce((sum, edge) => sum + leastCost(problem, edge), 0))
        promising.push({ token, benefit: benefit[token]! })
    }
    const most = DETOURS + (filling.tokens.length >> 1)
    const chosen = promising.sort((a, b) => b.benefit - a.benefit).slice(0, most)
    return new Set(chosen.flatMap(({ token }) => this.way(token)))
  }

  /** The cheapest way to a token and the best way on, both within the frontier. */
  private way(token: number): readonly number[] {
    const { problem, frontier } = this
    const { from, to } = problem.graph.topology
    const { live, next, previous } = frontier
    const edges: number[] = []
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
    const least = filling.price(token) * (1 - margin)
    for (let edge = offset[token]!; edge < offset[token + 1]! && left > 0; edge++) {
      const other = to[edge]!
      if (filling.place[other]! < 0 || !(rate[edge]! * filling.price(other) > least)) continue
      if (filling.addEdge(edge)) left--
    }
  }
  filling.solve(TIGHT)
}
