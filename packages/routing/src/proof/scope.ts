/** The edges that routes within the limit on hops may use, and prices for all of their tokens. */
import { ZERO_ADDRESS } from '@sluice/chains'
import { familyOf } from '@sluice/liquidity'
import { distancesFrom, potential } from '../problem/potentials.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import { type DualPrices, edgeName } from './dual-prices.ts'

/** Edges on some way of at most `maxHops` edges from the source to the target, without dead ends. */
export function edgesInScope(problem: Problem): readonly number[] {
  const { graph, rate, source, target, maxHops, budget } = problem
  const { from, to } = graph.topology
  const distance = distancesFrom(problem, source)
  const { hops } = potential(problem, target, 'to')
  budget.spend(from.length)
  let edges: number[] = []
  for (let edge = 0; edge < from.length; edge++)
    if (rate[edge]! > 0 && distance[from[edge]!]! + 1 + hops[to[edge]!]! <= maxHops) edges.push(edge)
  // A token of one pool is left by the pool that it was reached by. Each round drops the last tokens of dead ends.
  for (let round = 0; round < maxHops; round++) {
    budget.spend(2 * edges.length)
    const pools = poolsAround(problem, edges)
    const isKept = (token: number) => token === source || token === target || pools[token] === SEVERAL
    const kept = edges.filter((edge) => isKept(from[edge]!) && isKept(to[edge]!))
    if (kept.length === edges.length) break
    edges = kept
  }
  return problem.reuse ? withPairs(problem, edges) : edges
}

/**
 * Adds all pairs of tokens that the edges sell to a pool of several and buy of it. The pool trades them together, so that its earnings are
 * those by all of them.
 */
function withPairs({ graph, rate }: Problem, edges: readonly number[]): readonly number[] {
  const { from, to, edgesOfPool, isWide } = graph.topology
  const all = graph.edges
  const ends = new Map<string, { readonly sold: Set<number>; readonly bought: Set<number> }>()
  for (const edge of edges) {
    if (isWide[edge] !== 1) continue
    const { id } = all[edge]!.pool
    const of = ends.get(id) ?? { sold: new Set(), bought: new Set() }
    ends.set(id, of)
    of.sold.add(from[edge]!)
    of.bought.add(to[edge]!)
  }
  const pairs = new Set(edges)
  for (const [id, { sold, bought }] of ends)
    for (const edge of edgesOfPool.get(id)!)
      if (rate[edge]! > 0 && sold.has(from[edge]!) && bought.has(to[edge]!)) pairs.add(edge)
  return [...pairs]
}

const SEVERAL = -2

/** By token: −1 where no pool of the edges trades it, `SEVERAL`, or the first edge of the pool that alone does. */
function poolsAround({ graph }: Problem, edges: readonly number[]): Int32Array {
  const { from, to, tokens, edgesOfPool } = graph.topology
  const pools = new Int32Array(tokens.length).fill(-1)
  const all = graph.edges
  for (const edge of edges) {
    const pool = edgesOfPool.get(all[edge]!.pool.id)![0]!
    for (const token of [from[edge]!, to[edge]!])
      if (pools[token] === -1) pools[token] = pool
      else if (pools[token] !== pool) pools[token] = SEVERAL
  }
  return pools
}

/**
 * Prices of all tokens by the pools that a path has passed, from none to `maxHops`: those given, while a path may be there; for the others
 * the geometric mean of the least that a token costs and the most that it brings by then, at which none of their edges earns unless a
 * way through them does. They never rise from one hop to the next. 0 where no way leads on.
 */
export function pricesByHop(problem: Problem, edges: readonly number[], dual: DualPrices): readonly Float64Array[] {
  const { graph, maxHops, budget, source, target } = problem
  const { from, to, tokens } = graph.topology
  const distance = distancesFrom(problem, source)
  const { hops } = potential(problem, target, 'to')
  const given = new Map([...dual.tokens].map(([token, price]) => [graph.topology.tokenIndex.get(token)!, price]))
  const all = graph.edges
  const rateOf = (edge: number) => {
    const moved = graph.topology.isWide[edge] === 1 ? dual.moved.get(edgeName(all[edge]!)) : undefined
    return moved ?? problem.rate[edge]!
  }
  const rate = new Map(edges.map((edge) => [edge, rateOf(edge)]))
  const layer = (fill: number) => new Float64Array(tokens.length).fill(fill)
  const values = Array.from({ length: maxHops + 1 }, () => layer(0))
  const costs = Array.from({ length: maxHops + 1 }, () => layer(Number.POSITIVE_INFINITY))
  for (const [token, price] of given)
    for (let hop = 0; hop <= maxHops - hops[token]!; hop++) {
      values[hop]![token] = price
      if (hop >= distance[token]!) costs[hop]![token] = price
    }
  budget.spend(3 * maxHops * edges.length)
  for (let hop = maxHops - 1; hop >= 0; hop--) {
    const [own, next] = [values[hop]!, values[hop + 1]!]
    for (let token = 0; token < own.length; token++) if (!given.has(token)) own[token] = next[token]!
    for (const edge of edges) {
      const worth = rate.get(edge)! * next[to[edge]!]!
      if (worth > own[from[edge]!]! && !given.has(from[edge]!)) own[from[edge]!] = worth
    }
  }
  for (let hop = 0; hop < maxHops; hop++) {
    const [own, next] = [costs[hop]!, costs[hop + 1]!]
    for (let token = 0; token < own.length; token++) if (!given.has(token)) next[token] = own[token]!
    for (const edge of edges) {
      const cost = own[from[edge]!]! / rate.get(edge)!
      if (cost < next[to[edge]!]! && !given.has(to[edge]!)) next[to[edge]!] = cost
    }
  }
  const prices = values.map((own, hop) => own.map((value, token) => priceBetween(value, costs[hop]![token]!)))
  // Where no path can be yet, prices may be as high as what edges lead to asks for, and as pools may pay beyond samples of their curves.
  const most = (edge: number) => rate.get(edge)! * (1 + curveOf(problem, edge).outputError)
  for (let hop = maxHops - 1; hop >= 0; hop--) {
    const [own, next] = [prices[hop]!, prices[hop + 1]!]
    for (let token = 0; token < own.length; token++) own[token] = Math.max(own[token]!, next[token]!)
    for (const edge of edges) {
      const isReached = costs[hop]![from[edge]!]! < Number.POSITIVE_INFINITY
      if (!isReached) own[from[edge]!] = Math.max(own[from[edge]!]!, most(edge) * next[to[edge]!]!)
    }
  }
  return prices
}

/** The same at every hop: what pools of several tokens earn by swaps at different hops is then one trade of theirs. */
export function flatPrices(byHop: readonly Float64Array[]): readonly Float64Array[] {
  const [first] = byHop
  return byHop.map(() => first!)
}

const priceBetween = (value: number, cost: number): number =>
  cost < Number.POSITIVE_INFINITY ? Math.sqrt(cost) * Math.sqrt(value) : value

/**
 * Moves the native token's prices to where wrapping at one for one earns nothing, however deep a wrapper is.
 *
 * @param prices - by token and hop
 */
export function alignWrapped({ graph }: Problem, edges: readonly number[], prices: Map<number, bigint[]>): void {
  const { from, to, tokens } = graph.topology
  for (const edge of edges) {
    if (!familyOf(graph.edges[edge]!.pool.family)?.wrapsNative) continue
    const [sold, bought] = [prices.get(from[edge]!)!, prices.get(to[edge]!)!]
    const isWrap = tokens[from[edge]!] === ZERO_ADDRESS
    for (let hop = 0; hop + 1 < sold.length; hop++) {
      if (bought[hop + 1]! <= sold[hop]!) continue
      if (isWrap) sold[hop] = bought[hop + 1]!
      else bought[hop + 1] = sold[hop]!
    }
  }
}
