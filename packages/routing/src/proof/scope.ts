/**
 * Scope of a proof: the edges (pools in one direction) that routes within the hop limit may use, and prices for all
 * tokens of these edges. An edge earns if its output is worth more than its input. A multi-token pool has more than two
 * tokens. Called by `prove.ts`.
 */
import { ZERO_ADDRESS } from '@sluice/chains'
import { familyOf } from '@sluice/liquidity'
import { bestSpotRates, distancesFrom } from '../problem/potentials.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import { type DualPrices, edgeName } from './dual-prices.ts'

/** Edges on some path of at most `maxHops` edges from the source to the target, without dead ends. */
export function edgesInScope(problem: Problem): readonly number[] {
  const { graph, rate, source, target, maxHops, budget } = problem
  const { from, to } = graph.topology
  const hopsFromSource = distancesFrom(problem, source)
  const { hops } = bestSpotRates(problem, target)
  budget.spend(from.length)
  let edges: number[] = []
  for (let edge = 0; edge < from.length; edge++)
    if (rate[edge]! > 0 && hopsFromSource[from[edge]!]! + 1 + hops[to[edge]!]! <= maxHops) edges.push(edge)
  // A token with a single pool is a dead end: a path could leave it only through the same pool. Each round removes the
  // outermost tokens of dead ends.
  for (let round = 0; round < maxHops; round++) {
    budget.spend(2 * edges.length)
    const onlyPools = onlyPoolByToken(problem, edges)
    const isKept = (token: number) => token === source || token === target || onlyPools[token] === SEVERAL_POOLS
    const remaining = edges.filter((edge) => isKept(from[edge]!) && isKept(to[edge]!))
    if (remaining.length === edges.length) break
    edges = remaining
  }
  return problem.mayReusePools ? withJointPairs(problem, edges) : edges
}

/**
 * Adds further edges of multi-token pools. For example, suppose that the given edges sell tokens A and B to a pool, and
 * buy C and D from it. Then all edges of this pool from A or B to C or D are included. Such a pool earns on all of its
 * pairs together.
 */
function withJointPairs({ graph, rate }: Problem, edges: readonly number[]): readonly number[] {
  const { from, to, edgesOfPool, isWide } = graph.topology
  const allEdges = graph.edges
  const endTokensByPool = new Map<string, { readonly soldTokens: Set<number>; readonly boughtTokens: Set<number> }>()
  for (const edge of edges) {
    if (isWide[edge] !== 1) continue
    const { id } = allEdges[edge]!.pool
    const endTokens = endTokensByPool.get(id) ?? { soldTokens: new Set(), boughtTokens: new Set() }
    endTokensByPool.set(id, endTokens)
    endTokens.soldTokens.add(from[edge]!)
    endTokens.boughtTokens.add(to[edge]!)
  }
  const edgesWithPairs = new Set(edges)
  for (const [id, { soldTokens, boughtTokens }] of endTokensByPool)
    for (const edge of edgesOfPool.get(id)!)
      if (rate[edge]! > 0 && soldTokens.has(from[edge]!) && boughtTokens.has(to[edge]!)) edgesWithPairs.add(edge)
  return [...edgesWithPairs]
}

/** Result of `onlyPoolByToken` for a token that several pools trade. */
const SEVERAL_POOLS = -2

/**
 * By token: −1 if no pool of the edges trades the token; `SEVERAL_POOLS` if several do; otherwise its only pool, as the
 * index of the pool's first edge.
 */
function onlyPoolByToken({ graph }: Problem, edges: readonly number[]): Int32Array {
  const { from, to, tokens, edgesOfPool } = graph.topology
  const onlyPools = new Int32Array(tokens.length).fill(-1)
  const allEdges = graph.edges
  for (const edge of edges) {
    const pool = edgesOfPool.get(allEdges[edge]!.pool.id)![0]!
    for (const token of [from[edge]!, to[edge]!])
      if (onlyPools[token] === -1) onlyPools[token] = pool
      else if (onlyPools[token] !== pool) onlyPools[token] = SEVERAL_POOLS
  }
  return onlyPools
}

/**
 * Prices of all tokens by hop, the number of pools that a path has passed: from 0 to `maxHops`. A token that has a
 * price in `searchPrices` keeps this price at each hop at which a path may hold the token. The price of any other token
 * is the geometric mean of its minimum cost and its maximum value at that hop. It costs the minimum if it is bought
 * with the input of the trade. It has the maximum value if it is sold for the output. At this price, no edge earns
 * unless a path earns. Prices never rise from one hop to the next. The price is 0 if no path within the hop limit leads
 * from the token to the target.
 */
export function pricesByHop(
  problem: Problem,
  edges: readonly number[],
  searchPrices: DualPrices,
): readonly Float64Array[] {
  const { graph, maxHops, budget, source, target } = problem
  const { from, to, tokens } = graph.topology
  const hopsFromSource = distancesFrom(problem, source)
  const { hops } = bestSpotRates(problem, target)
  const pricesByToken = new Map(
    [...searchPrices.priceByToken].map(([token, price]) => [graph.topology.tokenIndex.get(token)!, price]),
  )
  const allEdges = graph.edges
  const rateOf = (edge: number) => {
    const rateAfterTrade =
      graph.topology.isWide[edge] === 1 ? searchPrices.ratesAfterTrade.get(edgeName(allEdges[edge]!)) : undefined
    return rateAfterTrade ?? problem.rate[edge]!
  }
  const rateByEdge = new Map(edges.map((edge) => [edge, rateOf(edge)]))
  const newLayer = (fill: number) => new Float64Array(tokens.length).fill(fill)
  const values = Array.from({ length: maxHops + 1 }, () => newLayer(0))
  const costs = Array.from({ length: maxHops + 1 }, () => newLayer(Number.POSITIVE_INFINITY))
  for (const [token, price] of pricesByToken)
    for (let hop = 0; hop <= maxHops - hops[token]!; hop++) {
      values[hop]![token] = price
      if (hop >= hopsFromSource[token]!) costs[hop]![token] = price
    }
  budget.spend(3 * maxHops * edges.length)
  for (let hop = maxHops - 1; hop >= 0; hop--) {
    const [valuesHere, valuesNext] = [values[hop]!, values[hop + 1]!]
    for (let token = 0; token < valuesHere.length; token++)
      if (!pricesByToken.has(token)) valuesHere[token] = valuesNext[token]!
    for (const edge of edges) {
      const value = rateByEdge.get(edge)! * valuesNext[to[edge]!]!
      if (value > valuesHere[from[edge]!]! && !pricesByToken.has(from[edge]!)) valuesHere[from[edge]!] = value
    }
  }
  for (let hop = 0; hop < maxHops; hop++) {
    const [costsHere, costsNext] = [costs[hop]!, costs[hop + 1]!]
    for (let token = 0; token < costsHere.length; token++)
      if (!pricesByToken.has(token)) costsNext[token] = costsHere[token]!
    for (const edge of edges) {
      const cost = costsHere[from[edge]!]! / rateByEdge.get(edge)!
      if (cost < costsNext[to[edge]!]! && !pricesByToken.has(to[edge]!)) costsNext[to[edge]!] = cost
    }
  }
  const prices = values.map((hopValues, hop) =>
    hopValues.map((value, token) => priceBetween(value, costs[hop]![token]!)),
  )
  // If no path can hold a token at a hop, its price may be chosen freely. The price is raised until the outgoing edges
  // earn nothing, even if pools pay more than their sampled curves.
  const maxRate = (edge: number) => rateByEdge.get(edge)! * (1 + curveOf(problem, edge).outputError)
  for (let hop = maxHops - 1; hop >= 0; hop--) {
    const [pricesHere, pricesNext] = [prices[hop]!, prices[hop + 1]!]
    for (let token = 0; token < pricesHere.length; token++)
      pricesHere[token] = Math.max(pricesHere[token]!, pricesNext[token]!)
    for (const edge of edges) {
      const isReached = costs[hop]![from[edge]!]! < Number.POSITIVE_INFINITY
      if (!isReached)
        pricesHere[from[edge]!] = Math.max(pricesHere[from[edge]!]!, maxRate(edge) * pricesNext[to[edge]!]!)
    }
  }
  return prices
}

/**
 * Uses the first hop's prices at all hops. Swaps in a multi-token pool at different hops are then a single trade of the
 * pool.
 */
export function flatPrices(hopPrices: readonly Float64Array[]): readonly Float64Array[] {
  const [firstPrices] = hopPrices
  return hopPrices.map(() => firstPrices!)
}

const priceBetween = (value: number, cost: number): number =>
  cost < Number.POSITIVE_INFINITY ? Math.sqrt(cost) * Math.sqrt(value) : value

/**
 * Adjusts the native token's prices so that wrapping and unwrapping earn nothing. They exchange any amount at 1:1, so
 * no other price gives a finite bound.
 *
 * @param scaledPrices - fixed-point prices by token, then by hop; changed in place
 */
export function alignWrapped({ graph }: Problem, edges: readonly number[], scaledPrices: Map<number, bigint[]>): void {
  const { from, to, tokens } = graph.topology
  for (const edge of edges) {
    if (!familyOf(graph.edges[edge]!.pool.family)?.wrapsNative) continue
    const [soldPrices, boughtPrices] = [scaledPrices.get(from[edge]!)!, scaledPrices.get(to[edge]!)!]
    const isWrap = tokens[from[edge]!] === ZERO_ADDRESS
    for (let hop = 0; hop + 1 < soldPrices.length; hop++) {
      if (boughtPrices[hop + 1]! <= soldPrices[hop]!) continue
      if (isWrap) soldPrices[hop] = boughtPrices[hop + 1]!
      else boughtPrices[hop + 1] = soldPrices[hop]!
    }
  }
}
