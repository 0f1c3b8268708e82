/** Column generation: which further edges would pay at the prices found so far. */
import { corridor } from './corridor.ts'
import type { PotentialWithSecond } from './potentials.ts'
import { leastCost, type Problem } from './problem.ts'
import type { WaterFilling } from './water-filling.ts'

const MAX_ROUNDS = 24
/** Sweeps over an edge list until the values of tokens outside the set stand. */
const MAX_SWEEPS = 12
/** An edge must beat the present prices by this part. */
const MIN_GAIN = 1e-7
/** A column must promise this part of the trade, and this part of its gas. */
const LEAST_BENEFIT = 5e-7
const GAS_SHARE = 0.2
/** Detours through tokens outside the set that are added per token and round. */
const DETOURS = 3
/** Lists shorter than this are searched whole every time. */
const SHORT_LIST = 400
/** Edges within this part of the present prices are looked at in every round; the others when those are through. */
const NEAR = 1.004
const LOOSE = 1e-5
/** Alternatives may be dearer by what this much gas is worth, or by this part. */
const MARGIN_GAS = 300_000
const MOST_MARGIN = 0.01
const ALTERNATIVES = 60
export const TIGHT = 1e-8

/**
 * Solves, adds what pays at the new prices, and solves again until nothing is left to add.
 *
 * @returns whether it came to an end within its rounds
 */
export function generateColumns(
  problem: Problem,
  filling: WaterFilling,
  forward: PotentialWithSecond,
  backward: PotentialWithSecond,
): boolean {
  let floor = Number.POSITIVE_INFINITY
  let all: Int32Array | null = null
  let near: Int32Array | null = null
  let loose = true
  const scratch = new Pricing(problem, filling)
  const refresh = () => {
    const marginal = filling.price(problem.source)
    if (all && marginal >= floor) return all
    // A little slack, since the marginal price goes on falling.
    floor = marginal * 0.9995
    near = null
    all = corridor(problem, forward, backward, floor)
    return all
  }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    filling.solve(loose ? LOOSE : TIGHT)
    const list = refresh()
    let added: number = near ? scratch.add(near) : 0
    if (added === 0) {
      added = scratch.add(list)
      near = added === 0 || list.length < SHORT_LIST ? null : scratch.nearEdges(list)
    }
    if (added === 0) {
      if (!loose || filling.residual <= TIGHT) return true
      loose = false
      continue
    }
    if (round > 0) loose = false
  }
  filling.solve(TIGHT)
  return false
}

type Detour = { readonly edge: number; readonly benefit: number }

/** Values of tokens outside the set, by the edges of a list, and the edges worth adding. */
class Pricing {
  private readonly problem: Problem
  private readonly filling: WaterFilling
  private readonly value: Float64Array
  /** What a token outside costs at least, by edges out of the set. */
  private readonly cost: Float64Array
  private readonly next: Int32Array

  constructor(problem: Problem, filling: WaterFilling) {
    this.problem = problem
    this.filling = filling
    const count = problem.graph.topology.tokens.length
    this.value = new Float64Array(count)
    this.cost = new Float64Array(count)
    this.next = new Int32Array(count)
  }

  add(list: Int32Array): number {
    const { problem, filling, value } = this
    const { rate, graph } = problem
    const { from, to } = graph.topology
    const { place, has } = filling
    this.spread(list)
    const least = LEAST_BENEFIT * filling.value
    const detours = new Map<number, Map<number, Detour>>()
    const direct: number[] = []
    for (let k = 0; k < list.length; k++) {
      const edge = list[k]!
      const u = from[edge]!
      const v = to[edge]!
      if (place[u]! < 0 || u === problem.target || has[edge]) continue
      const worth = rate[edge]! * value[v]!
      if (!(worth > value[u]! * (1 + MIN_GAIN))) continue
      const { resistance, cost } = this.series(edge)
      // What a pool of x·y = k earns until its marginal rate has fallen to the present prices.
      const fall = Math.sqrt(worth / value[u]!) - 1
      const benefit = (2 * fall * fall) / resistance
      if (!(benefit > Math.max(least, cost * GAS_SHARE))) continue
      if (place[v]! >= 0) {
        direct.push(edge)
        continue
      }
      const ofToken = detours.get(u) ?? new Map<number, Detour>()
      if (benefit > (ofToken.get(v)?.benefit ?? 0)) ofToken.set(v, { edge, benefit })
      detours.set(u, ofToken)
    }
    let added = 0
    for (const edge of direct) if (filling.addEdge(edge)) added++
    for (const ofToken of detours.values()) {
      const chosen = [...ofToken.values()].sort((a, b) => b.benefit - a.benefit).slice(0, DETOURS)
      for (const { edge } of chosen) added += this.addDetour(edge)
    }
    return added
  }

  /** Edges of the list that could pay before long. */
  nearEdges(list: Int32Array): Int32Array {
    const { problem, filling, value, cost } = this
    const { rate, graph } = problem
    const { from, to } = graph.topology
    this.spread(list)
    for (let k = 0; k < list.length; k++) {
      cost[from[list[k]!]!] = Number.POSITIVE_INFINITY
      cost[to[list[k]!]!] = Number.POSITIVE_INFINITY
    }
    for (const token of filling.tokens) cost[token] = filling.price(token)
    for (let sweep = 0; sweep < MAX_SWEEPS / 2; sweep++) {
      let changed = false
      for (let k = 0; k < list.length; k++) {
        const edge = list[k]!
        const v = to[edge]!
        if (filling.place[v]! >= 0) continue
        const via = cost[from[edge]!]! / rate[edge]!
        if (via < cost[v]! * (1 - 1e-13)) {
          cost[v] = via
          changed = true
        }
      }
      if (!changed) break
    }
    return list.filter((edge) => value[to[edge]!]! * rate[edge]! * NEAR >= cost[from[edge]!]!)
  }

  /** Best value of tokens outside the set by the edges of the list, from those inside. */
  private spread(list: Int32Array): void {
    const { problem, filling, value, next } = this
    const { rate, graph } = problem
    const { from, to } = graph.topology
    for (let k = 0; k < list.length; k++) {
      value[from[list[k]!]!] = 0
      value[to[list[k]!]!] = 0
    }
    for (const token of filling.tokens) {
      value[token] = filling.price(token)
      next[token] = -1
    }
    for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
      let changed = false
      for (let k = list.length - 1; k >= 0; k--) {
        const edge = list[k]!
        const u = from[edge]!
        if (filling.place[u]! >= 0) continue
        const worth = rate[edge]! * value[to[edge]!]!
        if (worth > value[u]! * (1 + 1e-13)) {
          value[u] = worth
          next[u] = edge
          changed = true
        }
      }
      if (!changed) break
    }
  }

  /** An edge and the way on from it to the set: its resistance at no flow, and what its legs cost. */
  private series(edge: number): { readonly resistance: number; readonly cost: number } {
    const { problem, filling, value, next } = this
    const { conductance, topology } = problem.graph
    let resistance = 1 / (conductance[edge]! * value[topology.from[edge]!]!)
    let cost = leastCost(problem, edge)
    let token = topology.to[edge]!
    for (let hop = 0; hop < problem.maxHops && filling.place[token]! < 0; hop++) {
      const on = next[token]!
      if (on < 0) break
      resistance += 1 / (conductance[on]! * value[token]!)
      cost += leastCost(problem, on)
      token = topology.to[on]!
    }
    return { resistance, cost }
  }

  private addDetour(edge: number): number {
    const { problem, filling, value, next } = this
    const { to } = problem.graph.topology
    const way = [edge]
    for (let token = to[edge]!; filling.place[token]! < 0; token = to[way.at(-1)!]!) {
      const on = next[token]!
      if (on < 0 || way.length >= problem.maxHops) return 0
      way.push(on)
    }
    let added = 0
    for (const part of way) {
      const token = to[part]!
      filling.addToken(token, Math.log(value[token]!))
      if (filling.addEdge(part)) added++
    }
    return added
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
