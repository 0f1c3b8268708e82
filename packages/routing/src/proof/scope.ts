/** The edges that routes within the hop limit may use, and prices for all of their tokens. */
import { ZERO_ADDRESS } from '@sluice/chains'
import { familyOf } from '@sluice/liquidity'
import { bestSpotRates, distancesFrom } from '../problem/potentials.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import { type DualPrices, edgeName } from './dual-prices.ts'

/** Edges on some path of at most `maxHops` edges from the source to the target, without dead ends. */
export function edgesInScope(problem: Problem): readonly number[] {
  const { graph, rate, source, target, maxHops, budget } = problem
  const { from, to } = graph.topology
  const distance = distancesFrom(problem, source)
  const { hops } = bestSpotRates(problem, target, 'to')
  budget.spend(from.length)
  let edges: number[] = []
  for (let edge = 0; edge < from.length; edge++)
    if (rate[edge]! > 0 && distance[from[edge]!]! + 1 + hops[to[edge]!]! <= maxHops) edges.push(edge)
  // A token with a single pool is a dead end: a path could leave it only through the same pool. Each round removes the
  // outermost tokens of dead ends.
  for (let round = 0; round < maxHops; round++) {
    budget.spend(2 * edges.length)
    const pools = poolsAround(problem, edges)
    const isKept = (token: number) => token === source || token === target || pools[token] === SEVERAL_POOLS
    const remaining = edges.filter((edge) => isKept(from[edge]!) && isKept(to[edge]!))
    if (remaining.length === edges.length) break
    edges = remaining
  }
  return problem.mayReusePools ? withPairs(problem, edges) : edges
}

/**
 * Adds all pairs of multi-token pools from a token that is sold to the pool to one that is bought. The pool trades them
 * together, so its earnings are the sum over all pairs.
 */
function withPairs({ graph, rate }: Problem, edges: readonly number[]): readonly number[] {
  const { from, to, edgesOfPool, isWide } = graph.topology
  const allEdges = graph.edges
  const ends = new Map<string, { readonly sold: Set<number>; readonly bought: Set<number> }>()
  for (const edge of edges) {
    if (isWide[edge] !== 1) continue
    const { id } = allEdges[edge]!.pool
    const endTokens = ends.get(id) ?? { sold: new Set(), bought: new Set() }
    ends.set(id, endTokens)
    endTokens.sold.add(from[edge]!)
    endTokens.bought.add(to[edge]!)
  }
  const pairs = new Set(edges)
  for (const [id, { sold, bought }] of ends)
    for (const edge of edgesOfPool.get(id)!)
      if (rate[edge]! > 0 && sold.has(from[edge]!) && bought.has(to[edge]!)) pairs.add(edge)
  return [...pairs]
}

const SEVERAL_POOLS = -2

/** By token: −1 if no pool of the edges trades it, `SEVERAL_POOLS`, or the first edge of its only pool. */
function poolsAround({ graph }: Problem, edges: readonly number[]): Int32Array {
  const { from, to, tokens, edgesOfPool } = graph.topology
  const pools = new Int32Array(tokens.length).fill(-1)
  const allEdges = graph.edges
  for (const edge of edges) {
    const pool = edgesOfPool.get(allEdges[edge]!.pool.id)![0]!
    for (const token of [from[edge]!, to[edge]!])
      if (pools[token] === -1) pools[token] = pool
      else if (pools[token] !== pool) pools[token] = SEVERAL_POOLS
  }
  return pools
}

/**
 * Prices of all tokens by the number of pools that a path has passed, from 0 to `maxHops`. Tokens of the dual keep its
 * prices at each hop at which a path may hold the token. The price of each other token is the geometric mean of its
 * minimum cost and its maximum value at that hop; at this price, no edge earns unless a path earns. Prices never rise
 * from one hop to the next; 0 if no path leads on.
 */
export function pricesByHop(problem: Problem, edges: readonly number[], dual: DualPrices): readonly Float64Array[] {
  const { graph, maxHops, budget, source, target } = problem
  const { from, to, tokens } = graph.topology
  const distance = distancesFrom(problem, source)
  const { hops } = bestSpotRates(problem, target, 'to')
  const pricesByToken = new Map(
    [...dual.priceByToken].map(([token, price]) => [graph.topology.tokenIndex.get(token)!, price]),
  )
  const allEdges = graph.edges
  const rateOf = (edge: number) => {
    const rateAfterTrade =
      graph.topology.isWide[edge] === 1 ? dual.ratesAfterTrade.get(edgeName(allEdges[edge]!)) : undefined
    return rateAfterTrade ?? problem.rate[edge]!
  }
  const rate = new Map(edges.map((edge) => [edge, rateOf(edge)]))
  const layer = (fill: number) => new Float64Array(tokens.length).fill(fill)
  const values = Array.from({ length: maxHops + 1 }, () => layer(0))
  const costs = Array.from({ length: maxHops + 1 }, () => layer(Number.POSITIVE_INFINITY))
  for (const [token, price] of pricesByToken)
    for (let hop = 0; hop <= maxHops - hops[token]!; hop++) {
      values[hop]![token] = price
      if (hop >= distance[token]!) costs[hop]![token] = price
    }
  budget.spend(3 * maxHops * edges.length)
  for (let hop = maxHops - 1; hop >= 0; hop--) {
    const [current, next] = [values[hop]!, values[hop + 1]!]
    for (let token = 0; token < current.length; token++) if (!pricesByToken.has(token)) current[token] = next[token]!
    for (const edge of edges) {
      const value = rate.get(edge)! * next[to[edge]!]!
      if (value > current[from[edge]!]! && !pricesByToken.has(from[edge]!)) current[from[edge]!] = value
    }
  }
  for (let hop = 0; hop < maxHops; hop++) {
    const [current, next] = [costs[hop]!, costs[hop + 1]!]
    for (let token = 0; token < current.length; token++) if (!pricesByToken.has(token)) next[token] = current[token]!
    for (const edge of edges) {
      const cost = current[from[edge]!]! / rate.get(edge)!
      if (cost < next[to[edge]!]! && !pricesByToken.has(to[edge]!)) next[to[edge]!] = cost
    }
  }
  const prices = values.map((current, hop) => current.map((value, token) => priceBetween(value, costs[hop]![token]!)))
  // If no path can hold the token at this hop, its price may be as high as needed so that its outgoing edges earn
  // nothing, including payouts beyond sampled curves.
  const maxRate = (edge: number) => rate.get(edge)! * (1 + curveOf(problem, edge).outputError)
  for (let hop = maxHops - 1; hop >= 0; hop--) {
    const [current, next] = [prices[hop]!, prices[hop + 1]!]
    for (let token = 0; token < current.length; token++) current[token] = Math.max(current[token]!, next[token]!)
    for (const edge of edges) {
      const isReached = costs[hop]![from[edge]!]! < Number.POSITIVE_INFINITY
      if (!isReached) current[from[edge]!] = Math.max(current[from[edge]!]!, maxRate(edge) * next[to[edge]!]!)
    }
  }
  return prices
}

/**
 * Uses the first hop's prices at all hops. Swaps in a multi-token pool at different hops are then a single trade of the
 * pool.
 */
export function flatPrices(hopPrices: readonly Float64Array[]): readonly Float64Array[] {
  const [first] = hopPrices
  return hopPrices.map(() => first!)
}

const priceBetween = (value: number, cost: number): number =>
  cost < Number.POSITIVE_INFINITY ? Math.sqrt(cost) * Math.sqrt(value) : value

/**
 * Adjusts the native token's prices so that wrapping at 1:1 earns nothing, at any depth of the wrapper.
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
