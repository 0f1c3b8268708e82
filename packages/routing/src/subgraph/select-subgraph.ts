/**
 * Selects the subgraph of a large graph that a trade may use. Search time grows with the graph, but a trade uses only a
 * few dozen of 100,000 pools. An edge is a pool in one direction. At given token prices, it is useful only if the
 * output for the first unit of its input is worth more than this unit costs. The prices come from coarse allocations on
 * successive guesses of the subgraph. An allocation is a flow over some edges, with a price for each token. It is
 * coarse if it was optimized in few rounds. Called by `find-route.ts`.
 */
import type { Trust } from '@sluice/liquidity'
import { generateColumns } from '../columns/columns.ts'
import { Frontier } from '../columns/frontier.ts'
import { bestSinglePath } from '../columns/single-path.ts'
import type { Graph } from '../graph/graph.ts'
import { type Ends, trustedRates } from '../problem/passable.ts'
import { bestSpotRates, distancesFrom, pathTo } from '../problem/potentials.ts'
import { hasNoLegCosts, type Problem, type SolvedAllocation, type SubgraphFacts } from '../problem/problem.ts'
import { allocationOver } from '../solver/allocation.ts'
import { MIN_LIVE_SHARE } from '../tolerances.ts'
import { bestPath, bestSpotPath } from './best-path.ts'
import { type Subgraph, subgraphOf } from './build-subgraph.ts'
import { topEarningEdges } from './candidates.ts'
import type { ExpansionContext } from './expander.ts'
import { alternativesBetween, initialEdges } from './initial-edges.ts'
import { labelsTo, type TokenAtPrice } from './labels.ts'
import { Neighborhood } from './neighborhood.ts'
import {
  COARSE_PRICE_COLUMN_ROUNDS,
  COARSE_PRICE_ROUNDS,
  INITIAL_SOURCE_PRICE,
  MAX_ALTERNATIVE_DISADVANTAGE,
  MAX_COARSE_EDGES,
  MIN_COARSE_EARNINGS,
  MIN_SUBGRAPH_EARNINGS,
  PRICE_MARGIN,
  SUBGRAPH_EDGES,
  SUBGRAPH_EDGES_PER_POOL,
} from './tolerances.ts'

/**
 * Prices of a coarse allocation, with the edges that it uses and its value (in output base units). Tokens and edges
 * have their numbers in the whole graph.
 */
type CoarsePrices = {
  readonly pricedTokens: readonly TokenAtPrice[]
  readonly usedEdges: readonly number[]
  readonly value: number
}

/**
 * Selects the subgraph, and builds the request's problem on it; null if the subgraph has no path, or if the input would
 * not buy one base unit.
 *
 * @param ends - ends of the trade in the whole graph
 * @param prepareOn - builds the request's problem on a graph
 */
export function selectSubgraph<T extends { readonly problem: Problem }>(
  fullGraph: Graph,
  trust: Trust | undefined,
  ends: Ends,
  prepareOn: (graph: Graph) => T,
): T | null {
  const { source, target } = ends
  const subgraphWith = (edges: Iterable<number>) => subgraphOf(fullGraph, edges, [source, target])
  let subgraph = subgraphWith([])
  const initialProblem = prepareOn(subgraph.graph).problem
  const { maxHops, maxPools, amountIn, budget } = initialProblem
  const labels = labelsTo(fullGraph, trust, target, maxHops)
  const spotRate = labels.maxValue[source]!
  if (!(spotRate * amountIn >= 1)) return null
  const intermediateRates = trust ? trustedRates(fullGraph, trust) : fullGraph
  const expansionContext: ExpansionContext = { ends, maxHops, labels, intermediateRates, budget }
  const neighborhood = new Neighborhood(fullGraph, expansionContext)

  const initialPrices = [
    { token: source, price: spotRate * INITIAL_SOURCE_PRICE },
    { token: target, price: 1 },
  ]
  let prices: CoarsePrices = { pricedTokens: initialPrices, usedEdges: [], value: spotRate * amountIn }
  let includedEdges = new Set([
    ...bestSpotPath(fullGraph, expansionContext),
    ...initialEdges(fullGraph, ends, labels, budget),
  ])
  for (let round = 0; round < COARSE_PRICE_ROUNDS; round++) {
    const nearEdges = topEarningEdges(
      neighborhood.edgesAround(prices.pricedTokens, MIN_COARSE_EARNINGS * prices.value),
      MAX_COARSE_EDGES,
    )
    if (round > 0 && nearEdges.every((edge) => includedEdges.has(edge))) break
    includedEdges = new Set([...(round === 0 ? includedEdges : prices.usedEdges), ...nearEdges])
    subgraph = subgraphWith(includedEdges)
    const newPrices = coarsePrices(prepareOn(subgraph.graph).problem, subgraph)
    if (!newPrices) return null
    prices = newPrices
  }
  const { pricedTokens, usedEdges, value } = prices
  const loweredPrices = pricedTokens.map(({ token, price }) => ({ token, price: price * (1 - PRICE_MARGIN) }))
  const maxEdges = Math.max(SUBGRAPH_EDGES, SUBGRAPH_EDGES_PER_POOL * maxPools)
  const candidates = topEarningEdges(neighborhood.edgesAround(loweredPrices, MIN_SUBGRAPH_EARNINGS * value), maxEdges)
  // With gas, the best path may contain edges that do not pay at these prices.
  const bestPathEdges = hasNoLegCosts(initialProblem)
    ? []
    : bestPath(prepareOn(fullGraph).problem, labels, { problem: prepareOn(subgraph.graph).problem, subgraph })
  const otherEdges = hasNoLegCosts(initialProblem)
    ? []
    : alternativeEdges(fullGraph, [...usedEdges, ...bestPathEdges], { pricedTokens, labels, budget })
  subgraph = subgraphWith([...usedEdges, ...bestPathEdges, ...otherEdges, ...candidates])
  const prepared = prepareOn(subgraph.graph)
  const subgraphFacts: SubgraphFacts = {
    minHops: labels.hops[source]!,
    maxEarningsOutside: (solvedAllocation) =>
      maxEarningsOutside(solvedAllocation, prepared.problem, subgraph, neighborhood),
  }
  return { ...prepared, problem: { ...prepared.problem, subgraph: subgraphFacts } }
}

/**
 * Returns other edges between the tokens of some edges. Their rates are compared with the tokens' prices, or with upper
 * bounds on the values of tokens without a price.
 */
function alternativeEdges(
  fullGraph: Graph,
  edges: readonly number[],
  {
    pricedTokens,
    labels,
    budget,
  }: { readonly pricedTokens: readonly TokenAtPrice[] } & Pick<ExpansionContext, 'labels' | 'budget'>,
): readonly number[] {
  const { from, to } = fullGraph.topology
  const tokens = edges.flatMap((edge) => [from[edge]!, to[edge]!])
  const values = new Map(tokens.map((token) => [token, labels.maxValue[token]!]))
  for (const { token, price } of pricedTokens) values.set(token, price)
  return alternativesBetween(fullGraph, values, MAX_ALTERNATIVE_DISADVANTAGE, budget)
}

/**
 * Allocates the trade without gas on a subgraph, coarsely. Returns the prices of the tokens that carry flow. Null if
 * there is no path.
 */
function coarsePrices(problemWithGas: Problem, { tokens, edges }: Subgraph): CoarsePrices | null {
  const problem = { ...problemWithGas, costPerGas: 0, costPerLeg: 0 }
  const { source, target } = problem
  const spotRates = bestSpotRates(problem, target)
  const path = pathTo(problem, spotRates, source, target) ?? bestSinglePath(problem, spotRates)
  if (!path) return null
  const allocation = allocationOver(problem, path, spotRates)
  const frontier = new Frontier(problem, spotRates, distancesFrom(problem, source))
  generateColumns(problem, allocation, frontier, COARSE_PRICE_COLUMN_ROUNDS)
  const pricedTokens = pricesOf(allocation, problem, tokens)
  return (
    pricedTokens && {
      pricedTokens,
      usedEdges: allocation.edges.map((edge) => edges[edge]!),
      value: allocation.value,
    }
  )
}

/**
 * Returns prices of the tokens that carry flow, with their numbers in the whole graph. Null if a price is not positive
 * and finite.
 */
function pricesOf(
  allocation: SolvedAllocation,
  { source, target }: Problem,
  tokens: Int32Array,
): readonly TokenAtPrice[] | null {
  const liveTokens = new Set([source, target])
  for (let k = 0; k < allocation.edges.length; k++) {
    const [soldToken, boughtToken] = [allocation.soldTokens[k]!, allocation.boughtTokens[k]!]
    if (allocation.input[k]! * allocation.price(soldToken) > MIN_LIVE_SHARE * allocation.value)
      liveTokens.add(soldToken).add(boughtToken)
  }
  const pricedTokens = Array.from(liveTokens, (token) => ({ token: tokens[token]!, price: allocation.price(token) }))
  return pricedTokens.every(({ price }) => price > 0 && price < Number.POSITIVE_INFINITY) ? pricedTokens : null
}

/**
 * Returns the maximum total earnings of the edges outside the subgraph at the prices of an allocation on it, in output
 * base units; null if unknown.
 */
function maxEarningsOutside(
  solvedAllocation: SolvedAllocation,
  problem: Problem,
  { tokens, edges }: Subgraph,
  neighborhood: Neighborhood,
): number | null {
  const pricedTokens = pricesOf(solvedAllocation, problem, tokens)
  if (!pricedTokens) return null
  const sum = neighborhood.maxEarningsOutside(pricedTokens, tokens, edges)
  return Number.isFinite(sum) ? sum : null
}
