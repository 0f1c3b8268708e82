/** From a request to a settled route, or to the reasons why there is none. Pure and deterministic. */
import { RoutingError } from './errors.ts'
import { bestRoute } from './exact/best-route.ts'
import { assertKept } from './exact/invariants.ts'
import { AMOUNT_LIMIT, largestRoutable } from './exact/largest-routable.ts'
import { leastInput } from './exact/least-input.ts'
import { type FoundRoute, settledRivals } from './exact/search-and-settle.ts'
import { outputPerWei } from './gas-price.ts'
import type { Graph } from './graph/graph.ts'
import { isWorthless } from './integrate/promise.ts'
import { startsOrEndsNative } from './native.ts'
import { netBound } from './net-bound/net-bound.ts'
import { WorkBudget, WorkSpent } from './problem/budget.ts'
import { Admission, DEFAULT_MAX_HOPS, DEFAULT_MAX_POOLS, erc20Of, isFree, type Problem } from './problem/problem.ts'
import { isSurcharging } from './taxes.ts'
import { toRoute, wrapRoute } from './to-route.ts'
import { ROUTE_PART } from './tolerances.ts'
import type { ExactOutputRequest, RouteRequest, RouteResult, RouteTerms } from './types.ts'

/** Bytes of calldata that a leg adds to a transaction. */
const HOP_BYTES = 48

type Refusal = Extract<RouteResult, { readonly ok: false }>
/** A request made ready: the amount of its problem is still to be set. */
type Prepared = { readonly problem: Problem; readonly admission: Admission; readonly outPerWei: number }

/**
 * The route that pays most for an input, or that takes the least input for an output.
 *
 * @param budget - the work that may be done; by default that of the request, or far more than any usual request needs
 * @throws RoutingError `ROUTE_INVARIANT`, `WORK_SPENT`
 */
export function findRoute(
  graph: Graph,
  request: RouteRequest | ExactOutputRequest,
  budget = new WorkBudget(request.work),
): RouteResult {
  return graph.topology.scratch.within(() => {
    try {
      const result = routeWithin(graph, request, budget)
      if (result.ok) for (const route of [result.route, ...(result.rivals ?? [])]) assertKept(route, request)
      return result
    } catch (error) {
      if (!(error instanceof WorkSpent)) throw error
      throw new RoutingError('WORK_SPENT', 'the work allowed for a request was not enough for any route')
    }
  })
}

function routeWithin(graph: Graph, request: RouteRequest | ExactOutputRequest, budget: WorkBudget): RouteResult {
  const { tokenIn, tokenOut, wrappedNative } = request
  const sold = erc20Of(tokenIn, wrappedNative)
  if (sold !== null && sold === erc20Of(tokenOut, wrappedNative))
    return { ok: true, route: wrapRoute(request, 'amountOut' in request ? request.amountOut : request.amountIn) }
  const prepared = prepare(graph, request, budget)
  if ('ok' in prepared) return prepared
  return 'amountOut' in request ? routeForOutput(prepared, request) : routeForInput(prepared, request)
}

/** The problem of a request, or why there is none. */
function prepare(chainGraph: Graph, request: RouteTerms, budget: WorkBudget): Prepared | Refusal {
  const { wrappedNative } = request
  const sold = erc20Of(request.tokenIn, wrappedNative)
  const bought = erc20Of(request.tokenOut, wrappedNative)
  if (sold === null || bought === null) return refusal('NO_ROUTE', 'this chain has no wrapper for its native token')
  const surcharging = [sold, bought].find((token) => isSurcharging(request.taxes, token))
  if (surcharging)
    return refusal(
      'BAD_TOKEN',
      `${surcharging} charges its sender on top of what is sent: no swap can promise what it takes or leaves`,
    )
  const graph = startsOrEndsNative(request) ? chainGraph.joined : chainGraph
  const source = graph.topology.tokenIndex.get(sold)
  const target = graph.topology.tokenIndex.get(bought)
  if (source === undefined || target === undefined)
    return refusal('UNKNOWN_TOKEN', `no pool is known that trades ${source === undefined ? sold : bought}`)

  const outPerWei = outputPerWei(chainGraph, request, target)
  const admission = new Admission(graph, request, source, target)
  const problem: Problem = {
    graph,
    source,
    target,
    amountIn: 0,
    maxHops: Math.min(request.maxHops ?? DEFAULT_MAX_HOPS, request.maxSplits ?? DEFAULT_MAX_POOLS),
    maxPools: request.maxSplits ?? DEFAULT_MAX_POOLS,
    onePath: request.maxSplits === 1,
    reuse: graph.topology.hasWidePools,
    rate: admission.rate,
    rateBack: admission.rateBack,
    taxed: admission.taxed,
    believed: admission.believed,
    learned: admission.learned,
    perGas: Number(request.gasPriceWei) * outPerWei,
    perLeg: HOP_BYTES * (request.l1FeePerByteWei ?? 0) * outPerWei,
    mostRivals: request.mostRivals ?? 0,
    budget,
  }
  return { problem, admission, outPerWei }
}

function routeForInput({ problem: open, admission, outPerWei }: Prepared, request: RouteRequest): RouteResult {
  const { amountIn } = request
  const problem = { ...open, amountIn: Number(amountIn) }
  const { budget } = problem
  const find = () => bestRoute(problem, amountIn, request, admission)
  const found = amountIn < AMOUNT_LIMIT ? budget.within(ROUTE_PART, find) : null
  if (found) {
    const worth = { outPerWei, netBound: netBoundOf(problem, found) }
    const told = (route: FoundRoute) => toRoute(problem, route, amountIn, request, worth)
    const rivals = settledRivals(problem, found, amountIn, request.taxes)
    return { ok: true, route: told(found), ...(rivals.length > 0 && { rivals: rivals.map(told) }) }
  }

  const most = largestRoutable(problem, amountIn, request)
  const reasons = admission.rejected
  if (most === 0n) return noRoute(problem, request, admission)
  const message = `the pools cannot take ${amountIn}; about ${most} can be routed`
  return { ...refusal('INSUFFICIENT_LIQUIDITY', message), reasons, maxRoutableAmount: most }
}

function routeForOutput({ problem, admission, outPerWei }: Prepared, request: ExactOutputRequest): RouteResult {
  const { amountOut } = request
  const found = leastInput(problem, amountOut, request)
  const { amountIn, route } = found
  if (route && route.settlement.amountOut >= amountOut) {
    const asked = { ...problem, amountIn: Number(amountIn) }
    const worth = { outPerWei, netBound: netBoundOf(asked, route) }
    return { ok: true, route: toRoute(asked, route, amountIn, request, worth) }
  }
  if (!route) return noRoute(problem, request, admission)
  const most = route.settlement.amountOut
  const message = `the pools cannot pay ${amountOut}; about ${most} can be bought`
  return { ...refusal('INSUFFICIENT_LIQUIDITY', message), reasons: admission.rejected, maxOutputAmount: most }
}

/** As the search told, which seeks it where it is in doubt of its route only. */
function netBoundOf(problem: Problem, { flow, bound, netBound: told, backward }: FoundRoute): number | null {
  if (isFree(problem)) return bound
  if (told !== undefined) return told
  const found = netBound(problem, flow, bound, backward)
  return bound === null && isWorthless(flow.net, found) ? null : found
}

function noRoute({ maxHops }: Problem, { tokenIn, tokenOut }: RouteTerms, { rejected }: Admission): Refusal {
  const message = `no path of at most ${maxHops} pools leads from ${tokenIn} to ${tokenOut}`
  return { ...refusal('NO_ROUTE', message), reasons: rejected }
}

function refusal(code: Refusal['code'], message: string): Refusal {
  return { ok: false, code, message, reasons: [] }
}
