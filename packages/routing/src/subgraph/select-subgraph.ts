/**
 * Selects the subgraph of a large graph that a trade may use. Search time grows with the graph, but a trade uses only a
 * few dozen of 100,000 pools. At given token prices, an edge is useful only if the value of its first unit of output
 * exceeds the cost of its input. The prices come from coarse allocations on successive guesses of the subgraph.
 */
import type { Trust } from '@sluice/liquidity'
import { generateColumns } from '../columns/columns.ts'
import { Frontier } from '../columns/frontier.ts'
import { bestSinglePath } from '../columns/single-path.ts'
import type { Graph } from '../graph/graph.ts'
import { type Ends, ratesBetween } from '../problem/passable.ts'
import { bestSpotRates, distancesFrom, pathTo } from '../problem/potentials.ts'
import { hasNoLegCosts, type Problem, type SolvedAllocation } from '../problem/problem.ts'
import { allocationOver } from '../solver/allocation.ts'
import { MIN_LIVE_SHARE } from '../tolerances.ts'
import { bestPath, bestSpotPath } from './best-path.ts'
import { topEarning } from './candidates.ts'
import type { ExpansionTerms } from './expander.ts'
import { labelsTo, type TokenAtPrice } from './labels.ts'
import { alternativesBetween, initialEdges } from './middle.ts'
import { Neighborhood } from './neighborhood.ts'
import { type Subgraph, subgraphOf } from './part-of-graph.ts'
import {
  COARSE_BENEFIT,
  COARSE_COLUMN_ROUNDS,
  COARSE_EDGES,
  COARSE_PRICE_ROUNDS,
  INITIAL_SOURCE_PRICE,
  MAX_ALTERNATIVE_DISADVANTAGE,
  PRICE_MARGIN,
  SUBGRAPH_BENEFIT,
  SUBGRAPH_EDGES,
  SUBGRAPH_EDGES_PER_POOL,
} from './tolerances.ts'

/** Prices of a coarse allocation, with its edges in the whole graph and its value. */
type Prices = { readonly priced: readonly TokenAtPrice[]; readonly used: readonly number[]; readonly value: number }

/**
 * Builds the request's problem on the subgraph; null if the subgraph has no path.
 *
 * @param ends - ends of the trade in the whole graph
 * @param on - builds the request's problem on a graph
 */
export function selectSubgraph<T extends { readonly problem: Problem }>(
  fullGraph: Graph,
  trust: Trust | undefined,
  ends: Ends,
  on: (graph: Graph) => T,
): T | null {
  const { source, target } = ends
  const partWith = (edges: Iterable<number>) => subgraphOf(fullGraph, edges, [source, target])
  let subgraph = partWith([])
  const bare = on(subgraph.graph).problem
  const { maxHops, maxPools, amountIn, budget } = bare
  const labels = labelsTo(fullGraph, trust, target, maxHops)
  const spot = labels.best[source]!
  if (!(spot * amountIn >= 1)) return null
  const intermediateRates = trust ? ratesBetween(fullGraph, trust) : fullGraph
  const expansionTerms: ExpansionTerms = { ends, maxHops, labels, intermediateRates, budget }
  const neighborhood = new Neighborhood(fullGraph, expansionTerms)

  const start = [
    { token: source, price: spot * INITIAL_SOURCE_PRICE },
    { token: target, price: 1 },
  ]
  let prices: Prices = { priced: start, used: [], value: spot * amountIn }
  let includedEdges = new Set([
    ...bestSpotPath(fullGraph, expansionTerms),
    ...initialEdges(fullGraph, ends, labels, budget),
  ])
  for (let round = 0; round < COARSE_PRICE_ROUNDS; round++) {
    const near = topEarning(neighborhood.edgesAround(prices.priced, COARSE_BENEFIT * prices.value), COARSE_EDGES)
    if (round > 0 && near.every((edge) => includedEdges.has(edge))) break
    includedEdges = new Set([...(round === 0 ? includedEdges : prices.used), ...near])
    subgraph = partWith(includedEdges)
    const coarse = coarsePrices(on(subgraph.graph).problem, subgraph)
    if (!coarse) return null
    prices = coarse
  }
  const { priced, used, value } = prices
  const lower = priced.map(({ token, price }) => ({ token, price: price * (1 - PRICE_MARGIN) }))
  const max = Math.max(SUBGRAPH_EDGES, SUBGRAPH_EDGES_PER_POOL * maxPools)
  const candidates = topEarning(neighborhood.edgesAround(lower, SUBGRAPH_BENEFIT * value), max)
  // With gas, the best path may be far from any of these prices.
  const single = hasNoLegCosts(bare)
    ? []
    : bestPath(on(fullGraph).problem, labels, { problem: on(subgraph.graph).problem, subgraph })
  const otherEdges = hasNoLegCosts(bare)
    ? []
    : alternatives(fullGraph, [...used, ...single], { priced, labels, budget })
  subgraph = partWith([...used, ...single, ...otherEdges, ...candidates])
  const ready = on(subgraph.graph)
  const subgraphBounds = {
    minHops: labels.hops[source]!,
    earnedBeyond: (solvedAllocation: SolvedAllocation) =>
      earnedBeyond(solvedAllocation, ready.problem, subgraph, neighborhood),
  }
  return { ...ready, problem: { ...ready.problem, subgraph: subgraphBounds } }
}

/** Other edges between the tokens of some edges, judged by prices, or by upper bounds for tokens without a price. */
function alternatives(
  fullGraph: Graph,
  edges: readonly number[],
  { priced, labels, budget }: { readonly priced: readonly TokenAtPrice[] } & Pick<ExpansionTerms, 'labels' | 'budget'>,
): readonly number[] {
  const { from, to } = fullGraph.topology
  const tokens = edges.flatMap((edge) => [from[edge]!, to[edge]!])
  const values = new Map(tokens.map((token) => [token, labels.best[token]!]))
  for (const { token, price } of priced) values.set(token, price)
  return alternativesBetween(fullGraph, values, MAX_ALTERNATIVE_DISADVANTAGE, budget)
}

/** Prices of the tokens that carry flow, without gas, and the edges of their allocation. Null if there is no path. */
function coarsePrices(original: Problem, { tokens, edges }: Subgraph): Prices | null {
  const problem = { ...original, costPerGas: 0, costPerLeg: 0 }
  const { source, target } = problem
  const spotRates = bestSpotRates(problem, target, 'to')
  const way = pathTo(problem, spotRates, source, target) ?? bestSinglePath(problem, spotRates)
  if (!way) return null
  const allocation = allocationOver(problem, way, spotRates)
  const frontier = new Frontier(problem, spotRates, distancesFrom(problem, source))
  generateColumns(problem, allocation, frontier, COARSE_COLUMN_ROUNDS)
  const pricedTokens = pricesOf(allocation, problem, tokens)
  return (
    pricedTokens && {
      priced: pricedTokens,
      used: allocation.edges.map((edge) => edges[edge]!),
      value: allocation.value,
    }
  )
}

/** Prices of the tokens that carry flow, by number in the whole graph; null if one is not positive and finite. */
function pricesOf(
  allocation: SolvedAllocation,
  { source, target }: Problem,
  tokens: Int32Array,
): readonly TokenAtPrice[] | null {
  const live = new Set([source, target])
  for (let k = 0; k < allocation.edges.length; k++) {
    const [sold, bought] = [allocation.soldTokens[k]!, allocation.boughtTokens[k]!]
    if (allocation.input[k]! * allocation.price(sold) > MIN_LIVE_SHARE * allocation.value) live.add(sold).add(bought)
  }
  const pricedTokens = Array.from(live, (token) => ({ token: tokens[token]!, price: allocation.price(token) }))
  return pricedTokens.every(({ price }) => price > 0 && price < Number.POSITIVE_INFINITY) ? pricedTokens : null
}

/** Maximum total earnings of the edges outside the subgraph at the prices of an allocation on it; null if unknown. */
function earnedBeyond(
  solvedAllocation: SolvedAllocation,
  problem: Problem,
  { tokens, edges }: Subgraph,
  neighborhood: Neighborhood,
): number | null {
  const pricedTokens = pricesOf(solvedAllocation, problem, tokens)
  if (!pricedTokens) return null
  const sum = neighborhood.earnedBeyond(pricedTokens, tokens, edges)
  return Number.isFinite(sum) ? sum : null
}
