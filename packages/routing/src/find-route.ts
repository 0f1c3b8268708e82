/**
 * Entry point of the router: turns a request into a settled route (with amounts in exact integers), or into a refusal
 * with reasons. The result depends only on the arguments. Runs on the main thread or in a routing thread.
 */
import { type Address, FLOAT_PPM, NATIVE } from '@sluice/chains'
import { RoutingError } from './errors.ts'
import { bestRoute } from './exact/best-route.ts'
import { minInput } from './exact/exact-output.ts'
import { assertWithinRequest } from './exact/invariants.ts'
import { largestRoutable } from './exact/largest-routable.ts'
import { type SettledRoute, settleAlternatives } from './exact/search-and-settle.ts'
import { AMOUNT_LIMIT } from './exact/shares.ts'
import { outputPerWei } from './gas-price.ts'
import type { Graph } from './graph/graph.ts'
import { startsOrEndsNative } from './native.ts'
import { netBound } from './net-bound/net-bound.ts'
import { MAX_WORK, WorkBudget, WorkSpent } from './problem/budget.ts'
import { edgeGas } from './problem/edge-gas.ts'
import type { Ends } from './problem/passable.ts'
import {
  Admission,
  DEFAULT_MAX_HOPS,
  DEFAULT_MAX_POOLS,
  erc20Of,
  hasNoLegCosts,
  newSoftenings,
  type Problem,
} from './problem/problem.ts'
import { type DualPrices, dualPrices } from './proof/dual-prices.ts'
import { proveBound } from './proof/prove.ts'
import { isWorthless } from './refine/stopping-rules.ts'
import { selectSubgraph } from './subgraph/select-subgraph.ts'
import { MIN_LARGE_GRAPH_EDGES, SUBGRAPH_WORK_SHARE } from './subgraph/tolerances.ts'
import { isSurcharging } from './taxes.ts'
import { netGapBps, toRoute, wrapRoute } from './to-route.ts'
import { ROUTE_WORK_SHARE } from './tolerances.ts'
import type { BoundProof, ExactOutputRequest, RoutePlan, RouteRequest, RouteResult, RouteTerms } from './types.ts'

/** If an exact output cannot be bought, the suggested output is the largest output found, less 1 / divisor of it. */
const SUGGESTED_OUTPUT_DIVISOR = 100_000n

/** Work limit of a proof: about a quarter of a second. The route has its own work limit. */
const PROOF_WORK = MAX_WORK / 4

/** Bytes of calldata that one leg adds to a transaction. */
const CALLDATA_BYTES_PER_LEG = 48

type Refusal = Extract<RouteResult, { readonly ok: false }>
/**
 * A request compiled into a problem. `outPerWei`: output base units per wei. For exact-output requests, `amountIn` of
 * the problem is 0 and set later.
 */
type PreparedRequest = { readonly problem: Problem; readonly admission: Admission; readonly outPerWei: number }

/**
 * Finds the route with the highest output for an input, or with the lowest input for an output, net of gas.
 *
 * @param budget - work limit; default: the request's
 * @throws RoutingError `ROUTE_INVARIANT`, `WORK_SPENT`
 * @example
 * ```ts
 * const graph = buildGraph(snapshot)
 * const result = findRoute(graph, { tokenIn, tokenOut, amountIn, wrappedNative, gasPriceWei })
 * ```
 */
export function findRoute(
  graph: Graph,
  request: RouteRequest | ExactOutputRequest,
  budget = new WorkBudget(request.work),
): RouteResult {
  return graph.topology.scratch.within(() => {
    try {
      const result = withProof(graph, request, routeRequest(graph, request, budget))
      if (result.ok)
        for (const route of [result.route, ...(result.alternatives ?? [])]) assertWithinRequest(route, request)
      return result
    } catch (error) {
      if (!(error instanceof WorkSpent)) throw error
      throw new RoutingError('WORK_SPENT', 'the work limit of the request was reached before any route was found')
    }
  })
}

function routeRequest(graph: Graph, request: RouteRequest | ExactOutputRequest, budget: WorkBudget): RouteResult {
  const { tokenIn, tokenOut, wrappedNative } = request
  const soldToken = erc20Of(tokenIn, wrappedNative)
  if (soldToken !== null && soldToken === erc20Of(tokenOut, wrappedNative)) return routeWrap(request)
  const resolved = resolveRequest(graph, request, budget)
  if ('ok' in resolved) return resolved
  if ('amountOut' in request) return routeForOutput(resolved.prepareOn(resolved.graph), request)
  return routeOnSubgraph(resolved, request, budget) ?? routeForInput(resolved.prepareOn(resolved.graph), request)
}

/**
 * Routes a request that only wraps or unwraps the native token. Nodes refuse transactions with a value of 2^128 wei or
 * more.
 */
function routeWrap(request: RouteRequest | ExactOutputRequest): RouteResult {
  const isExactInput = 'amountIn' in request
  const amount = isExactInput ? request.amountIn : request.amountOut
  if (request.tokenIn !== NATIVE || amount < AMOUNT_LIMIT) return { ok: true, route: wrapRoute(request, amount) }
  const max = AMOUNT_LIMIT - 1n
  const message = 'the native token cannot be wrapped in amounts of 2^128 wei or more'
  const limit = isExactInput ? { maxRoutableAmount: max } : { maxOutputAmount: max }
  return { ...refusal('INSUFFICIENT_LIQUIDITY', message), ...limit }
}

/**
 * Adds the proof of the bound if the request asks for one. A proof has its own work budget, so it does not affect the
 * route. It ignores drift penalties (discounts on outputs), except those that exclude a pool, because the bound must
 * hold without discounts.
 */
function withProof(graph: Graph, request: RouteRequest | ExactOutputRequest, result: RouteResult): RouteResult {
  if (!request.proof || !result.ok || 'amountOut' in request) return result
  const { tokenIn, tokenOut, wrappedNative, amountIn, driftPenalties, excludePools } = request
  const soldToken = erc20Of(tokenIn, wrappedNative)!
  if (soldToken === erc20Of(tokenOut, wrappedNative)) return { ...result, proof: trivialProof(soldToken, amountIn) }
  const fullyPenalizedPools = [...(driftPenalties ?? [])].filter(([, ppm]) => ppm >= FLOAT_PPM).map(([id]) => id)
  const { driftPenalties: _, ...terms } = request
  const gasFreeRequest = {
    ...terms,
    gasPriceWei: 0n,
    l1FeePerByteWei: 0,
    excludePools: new Set([...(excludePools ?? []), ...fullyPenalizedPools]),
  }
  const budget = new WorkBudget(PROOF_WORK)
  const prove = () => {
    const resolved = resolveRequest(graph, gasFreeRequest, budget)
    if ('ok' in resolved) return null
    const prices =
      pricesOnSubgraph(resolved, gasFreeRequest) ?? dualPrices(withoutSplitLimits(resolved.prepareOn(resolved.graph)))
    const routes = [result.route, ...(result.alternatives ?? [])]
    const maxPaid = routes.reduce((max, { amountOut }) => (max > amountOut ? max : amountOut), 0n)
    return prices && proveBound(resolved.prepareOn(resolved.graph).problem, amountIn, prices, maxPaid)
  }
  return { ...result, proof: budget.attempt(1, prove, () => null) }
}

/** Removes the limits on splitting, because the bound must cover divided trades even if the request forbids them. */
const withoutSplitLimits = ({ problem }: PreparedRequest): Problem => ({
  ...problem,
  isSinglePath: false,
  maxPools: DEFAULT_MAX_POOLS,
})

/**
 * Computes dual prices (token prices that prove a bound) on a subgraph of a large graph. Null for small graphs, and if
 * the subgraph gives no prices.
 */
function pricesOnSubgraph({ graph, ends, prepareOn }: ResolvedRequest, request: RouteRequest): DualPrices | null {
  if (graph.topology.from.length < MIN_LARGE_GRAPH_EDGES) return null
  return graph.topology.scratch.forSubgraphs.within(() => {
    const subgraph = selectSubgraph(graph, request.trust, ends, prepareOn)
    return subgraph && dualPrices(withoutSplitLimits(subgraph))
  })
}

/** Proof for a request that only wraps or unwraps: the rate is 1:1, so the bound is the input. */
function trivialProof(token: Address, amountIn: bigint): BoundProof {
  return {
    decimals: 0,
    prices: [[token, [1n]]],
    pools: [],
    beyond: { pools: 0, earned: 0n },
    allowance: 0n,
    bound: amountIn,
    maxHops: 0,
  }
}

/** Finds the route on a subgraph of a large graph; null for small graphs, and if no route is found there. */
function routeOnSubgraph(
  { graph, ends, prepareOn }: ResolvedRequest,
  request: RouteRequest,
  budget: WorkBudget,
): RouteResult | null {
  if (graph.topology.from.length < MIN_LARGE_GRAPH_EDGES) return null
  const findOnSubgraph = () => {
    const prepared = selectSubgraph(graph, request.trust, ends, prepareOn)
    return prepared && findForInput(prepared, request)
  }
  return graph.topology.scratch.forSubgraphs.within(() =>
    budget.attempt(SUBGRAPH_WORK_SHARE, findOnSubgraph, () => null),
  )
}

/**
 * A request whose input and output tokens (ends) were found in the graph. `prepareOn` builds its problem on a graph:
 * the whole one, or a subgraph.
 */
type ResolvedRequest = {
  readonly graph: Graph
  readonly ends: Ends
  readonly prepareOn: (graph: Graph) => PreparedRequest
}

/**
 * Finds the ends of a request in the graph, or returns the reason why the request cannot be routed. If an end is
 * NATIVE, the result has the `joined` graph, in which the native token and its wrapper are one token.
 */
function resolveRequest(
  chainGraph: Graph,
  request: RouteRequest | ExactOutputRequest,
  budget: WorkBudget,
): ResolvedRequest | Refusal {
  const { wrappedNative } = request
  const soldToken = erc20Of(request.tokenIn, wrappedNative)
  const boughtToken = erc20Of(request.tokenOut, wrappedNative)
  if (soldToken === null || boughtToken === null)
    return refusal('NO_ROUTE', 'this chain has no wrapper for its native token')
  const surchargingToken = [soldToken, boughtToken].find((token) => isSurcharging(request.taxes, token))
  if (surchargingToken)
    return refusal(
      'BAD_TOKEN',
      `${surchargingToken} charges its sender on top of what is sent: no swap can promise what it takes or leaves`,
    )
  const fullGraph = startsOrEndsNative(request) ? chainGraph.joined : chainGraph
  const source = fullGraph.topology.tokenIndex.get(soldToken)
  const target = fullGraph.topology.tokenIndex.get(boughtToken)
  if (source === undefined || target === undefined)
    return refusal('UNKNOWN_TOKEN', `no pool is known that trades ${source === undefined ? soldToken : boughtToken}`)

  const outPerWei = outputPerWei(chainGraph, request, target)
  const prepareOn = (graph: Graph): PreparedRequest => {
    const { tokenIndex } = graph.topology
    const admission = new Admission(graph, request, tokenIndex.get(soldToken)!, tokenIndex.get(boughtToken)!)
    return { problem: problemOf(graph, request, { admission, outPerWei, budget }), admission, outPerWei }
  }
  return { graph: fullGraph, ends: { source, target }, prepareOn }
}

type ProblemParts = { readonly admission: Admission; readonly outPerWei: number; readonly budget: WorkBudget }

/** Builds the problem of a request from its admission (admitted edges with their rates and curves). */
function problemOf(
  graph: Graph,
  request: RouteRequest | ExactOutputRequest,
  { admission, outPerWei, budget }: ProblemParts,
): Problem {
  const { rate, rateBack, adjustedCurves, inputLimits, outputFactors, source, target } = admission
  return {
    graph,
    requestTokens: request,
    source,
    target,
    amountIn: 'amountIn' in request ? Number(request.amountIn) : 0,
    maxHops: Math.min(request.maxHops ?? DEFAULT_MAX_HOPS, request.maxSplits ?? DEFAULT_MAX_POOLS),
    maxPools: request.maxSplits ?? DEFAULT_MAX_POOLS,
    isSinglePath: request.maxSplits === 1,
    mayReusePools: graph.topology.hasWidePools,
    rate,
    rateBack,
    adjustedCurves,
    inputLimits,
    outputFactors,
    ...edgeGas(graph, request.learnedGas, admission),
    costPerGas: Number(request.gasPriceWei) * outPerWei,
    costPerLeg: CALLDATA_BYTES_PER_LEG * (request.l1FeePerByteWei ?? 0) * outPerWei,
    maxAlternatives: request.maxAlternatives ?? 0,
    budget,
    softenings: newSoftenings(),
  }
}

/** Finds the best route; null if the whole amount cannot be routed. */
function findForInput({ problem, admission, outPerWei }: PreparedRequest, request: RouteRequest): RouteResult | null {
  const { amountIn } = request
  const find = () => bestRoute(problem, amountIn, request, admission)
  const candidate = amountIn < AMOUNT_LIMIT ? problem.budget.within(ROUTE_WORK_SHARE, find) : null
  if (!candidate) return null
  // Alternatives are settled before the bound is computed, so that the work spent on the bound cannot change them.
  const settledRoutes = [candidate, ...settleAlternatives(problem, candidate, amountIn, request.taxes)]
  const computesNetBoundNow = !request.boundAfterGas || hasNoLegCosts(problem) || candidate.netBound !== undefined
  const valuation = { outPerWei, netBound: computesNetBoundNow ? netBoundOf(problem, candidate) : null }
  const [route, ...alternatives] = settledRoutes.map((settledFlow) =>
    toRoute(problem, settledFlow, amountIn, request, valuation),
  )
  const success = { ok: true, route: route!, ...(alternatives.length > 0 && { alternatives }) } as const
  const isDeferred = !computesNetBoundNow && request.boundAfterGas === 'later' && route!.gasCostOut !== null
  return isDeferred
    ? { ...success, boundAfterGas: deferredBound(problem, settledRoutes, [route!, ...alternatives], request) }
    : success
}

/**
 * Prepares a later computation of the bound after gas. Copies the arrays that it needs, since later searches reuse the
 * scratch arrays.
 */
function deferredBound(
  problem: Problem,
  settledRoutes: readonly SettledRoute[],
  routes: readonly RoutePlan[],
  request: RouteTerms,
): () => void {
  const [best] = settledRoutes
  const { maxRate, nextEdge, hops } = best!.spotRates
  const spotRates = { maxRate: maxRate.slice(), nextEdge: nextEdge.slice(), hops: hops.slice() }
  const { rate, rateBack, extraGas } = problem
  const arrays = { rate: rate.slice(), rateBack: rateBack.slice(), extraGas: extraGas.slice() }
  const problemCopy = { ...problem, ...arrays, budget: new WorkBudget() }
  return () => {
    const bound = problemCopy.budget.attempt(
      1,
      () => netBoundOf(problemCopy, { ...best!, spotRates }),
      () => null,
    )
    for (const [k, route] of routes.entries())
      Object.assign(route, { optimalityGapNetBps: netGapBps(problemCopy, settledRoutes[k]!, request, bound) })
  }
}

/** Finds the best route for an input, or returns a refusal with the largest input that can be routed. */
function routeForInput(prepared: PreparedRequest, request: RouteRequest): RouteResult {
  const result = findForInput(prepared, request)
  if (result) return result
  const { problem, admission } = prepared
  const { amountIn } = request
  const maxInput = largestRoutable(problem, amountIn, request)
  const reasons = admission.rejectedPools
  if (maxInput === 0n) return noRoute(problem, request, admission)
  const message = `the pools cannot take ${amountIn}; about ${maxInput} can be routed`
  return { ...refusal('INSUFFICIENT_LIQUIDITY', message), reasons, maxRoutableAmount: maxInput }
}

/** Finds the route with the minimum input for an output, or returns a refusal with the largest output found. */
function routeForOutput({ problem, admission, outPerWei }: PreparedRequest, request: ExactOutputRequest): RouteResult {
  const { amountOut } = request
  const candidate = minInput(problem, amountOut, request)
  if (!candidate) return noRoute(problem, request, admission)
  const { amountIn, route } = candidate
  if (route.settlement.amountOut >= amountOut) {
    const sizedProblem = { ...problem, amountIn: Number(amountIn) }
    const valuation = {
      outPerWei,
      netBound: request.boundAfterGas === 'never' ? null : netBoundOf(sizedProblem, route),
    }
    return { ok: true, route: toRoute(sizedProblem, route, amountIn, request, valuation) }
  }
  // Suggests slightly less than the maximum. A search for the suggested output starts at other amounts, and may end at
  // a slightly lower output.
  const maxPaid = route.settlement.amountOut
  const maxOutput = maxPaid - maxPaid / SUGGESTED_OUTPUT_DIVISOR
  const message = `the pools cannot pay ${amountOut}; about ${maxOutput} can be bought`
  return { ...refusal('INSUFFICIENT_LIQUIDITY', message), reasons: admission.rejectedPools, maxOutputAmount: maxOutput }
}

/**
 * Returns the upper bound on the net output. The search computes it only for uncertain routes, so it may have to be
 * computed here.
 */
function netBoundOf(
  problem: Problem,
  { flow, bound, tokenPrices, netBound: computedBound, spotRates }: SettledRoute,
): number | null {
  if (hasNoLegCosts(problem)) return bound
  if (computedBound !== undefined) return computedBound
  const netUpperBound = netBound(problem, flow, { bound, tokenPrices }, spotRates)
  return bound === null && isWorthless(flow.net, netUpperBound) ? null : netUpperBound
}

function noRoute({ maxHops }: Problem, { tokenIn, tokenOut }: RouteTerms, { rejectedPools }: Admission): Refusal {
  const message = `no path of at most ${maxHops} pools leads from ${tokenIn} to ${tokenOut}`
  return { ...refusal('NO_ROUTE', message), reasons: rejectedPools }
}

function refusal(code: Refusal['code'], message: string): Refusal {
  return { ok: false, code, message, reasons: [] }
}
