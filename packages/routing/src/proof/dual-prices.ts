/**
 * Token prices that nearly minimize the dual of a trade (a function of prices that bounds the output). They come from
 * an allocation without gas: a flow over some edges (pools in one direction), with a price for each token. `prove.ts`
 * builds a proof at these prices.
 */
import type { Address } from '@sluice/chains'
import { generateColumns } from '../columns/columns.ts'
import { Frontier } from '../columns/frontier.ts'
import { bestSinglePath, curveQuoter } from '../columns/single-path.ts'
import { balancePrices, upperBound } from '../columns/upper-bound.ts'
import type { Edge } from '../graph/graph.ts'
import { bestSpotRates, distancesFrom, pathTo } from '../problem/potentials.ts'
import type { Problem } from '../problem/problem.ts'
import { allocationOver } from '../solver/allocation.ts'

/**
 * Prices that nearly minimize the dual. The keys are addresses and edge names, which are the same in every subgraph.
 */
export type DualPrices = {
  /** Output base units per base unit of the token. */
  readonly priceByToken: ReadonlyMap<Address, number>
  /** By `edgeName`: rates of pools of more than two tokens, for the next unit after their optimal trades. */
  readonly ratesAfterTrade: ReadonlyMap<string, number>
}

/** Returns a name of an edge that is the same in every graph. Its number is not. */
export const edgeName = ({ pool, tokenIn, tokenOut }: Edge): string => `${pool.id} ${tokenIn} ${tokenOut}`

/**
 * Computes prices of the tokens that carry flow in the optimal allocation. Also computes prices of the tokens around
 * them through which a route might earn.
 *
 * @param problem - without gas
 * @returns null if no path takes any part of the amount
 */
export function dualPrices(problem: Problem): DualPrices | null {
  const { source, target, graph } = problem
  const spotRates = bestSpotRates(problem, target)
  const startPath =
    pathTo(problem, spotRates, source, target) ??
    bestSinglePath(problem, spotRates) ??
    bestSinglePath(problem, spotRates, curveQuoter(problem, 'a part'))
  if (!startPath) return null
  const allocation = allocationOver(problem, startPath, spotRates)
  const frontier = new Frontier(problem, spotRates, distancesFrom(problem, source))
  generateColumns(problem, allocation, frontier)
  // Called for its effect on the allocation: edges that loosen the bound join it.
  upperBound(problem, allocation, frontier)
  const prices = new Map<number, number>()
  const setPrice = (token: number, price: number) => {
    if (price > 0 && price < Number.POSITIVE_INFINITY) prices.set(token, price)
  }
  for (const token of frontier.liveTokens) setPrice(token, allocation.price(token))
  if (frontier.hasConverged && frontier.payingEdges.length > 0) {
    const balancedPrices = graph.topology.scratch.floats(graph.topology.tokens.length)
    balancePrices(problem, frontier, balancedPrices)
    for (const token of frontier.payingTokens) if (!prices.has(token)) setPrice(token, balancedPrices[token]!)
  }
  prices.set(target, 1)
  if (!prices.has(source)) return null
  const ratesAfterTrade = allocation.sharedPools.flatMap((pool) => [...pool.ratesAfter(problem)])
  return {
    priceByToken: new Map([...prices].map(([token, price]) => [graph.topology.tokens[token]!, price])),
    ratesAfterTrade: new Map(ratesAfterTrade.map(([edge, rate]) => [edgeName(graph.edges[edge]!), rate])),
  }
}
