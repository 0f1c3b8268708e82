/** Prices gas in the output token. An edge is a pool in one direction. */
import { bestSinglePath, curveQuoter } from './columns/single-path.ts'
import type { Graph } from './graph/graph.ts'
import { outputOf } from './graph/price-curve.ts'
import { WorkBudget } from './problem/budget.ts'
import { NO_LEARNED_GAS } from './problem/edge-gas.ts'
import { type Ends, passableRates } from './problem/passable.ts'
import { bestSpotRates } from './problem/potentials.ts'
import { newSoftenings, type Problem } from './problem/problem.ts'
import type { RouteTerms } from './types.ts'

/** Gas of a typical swap. The native token is priced by selling about the cost of such a swap. */
const TYPICAL_ROUTE_GAS = 300_000
/** Calldata bytes of a typical swap. */
const TYPICAL_ROUTE_BYTES = 600
/** Maximum number of cached prices per graph and trust list; the searches of one block need fewer. */
const MAX_CACHED_PRICES = 10_000

/**
 * Returns output base units per wei: the output of the best path for the gas cost of a typical swap, divided by that
 * cost. The rate for the first unit is not used, because pools with almost no liquidity are often mispriced. Returns 0
 * if gas is free, or if no path leads from the native token to the target.
 */
export function outputPerWei(graph: Graph, request: RouteTerms, target: number): number {
  const { wrappedNative, nativeErc20, l1FeePerByteWei = 0 } = request
  const costWei = TYPICAL_ROUTE_GAS * Number(request.gasPriceWei) + TYPICAL_ROUTE_BYTES * l1FeePerByteWei
  const gasToken = wrappedNative === null ? nativeErc20 : { token: wrappedNative, unitsPerWei: 1 }
  const source = gasToken && graph.topology.tokenIndex.get(gasToken.token)
  if (costWei === 0 || source === undefined || !gasToken) return 0
  if (target === source) return gasToken.unitsPerWei
  const cachesByTrust = graph.facts.outputPerWei
  const cache = cachesByTrust.get(request.trust ?? graph.facts) ?? new Map<string, number>()
  cachesByTrust.set(request.trust ?? graph.facts, cache)
  const key = `${source} ${target} ${costWei}`
  const price =
    cache.get(key) ?? outputOfBestPath(graph, request, { source, target }, costWei * gasToken.unitsPerWei) / costWei
  if (cache.size >= MAX_CACHED_PRICES) cache.clear()
  cache.set(key, price)
  return price
}

/** Returns the output of the best path, chosen before gas; 0 if there is no path. */
function outputOfBestPath(graph: Graph, request: RouteTerms, ends: Ends, amountIn: number): number {
  const rates = passableRates(graph, request.trust, ends, undefined, false, () => {})
  const gasFreeTerms = {
    costPerGas: 0,
    costPerLeg: 0,
    adjustedCurves: new Map(),
    outputFactors: new Map(),
    ...NO_LEARNED_GAS,
    softenings: newSoftenings(),
  }
  // All requests of the block share the result, so it must not depend on the work budget of one of them. One path takes
  // little work.
  const limits = {
    maxHops: 3,
    maxPools: 3,
    isSinglePath: true,
    mayReusePools: false,
    maxAlternatives: 0,
    budget: new WorkBudget(),
  }
  const problem: Problem = { graph, requestTokens: request, ...ends, amountIn, ...limits, ...rates, ...gasFreeTerms }
  const path = bestSinglePath(problem, bestSpotRates(problem, ends.target), curveQuoter(problem, 'a part'))
  return path?.reduce((amount, edge) => outputOf(graph.edges[edge]!.curve, amount), amountIn) ?? 0
}
