/** From a request to a settled route, or to the reasons why there is none. Pure and deterministic. */
import { type Address, FLOAT_PPM } from '@sluice/chains'
import { RoutingError } from './errors.ts'
import { bestRoute } from './exact/best-route.ts'
import { leastInput } from './exact/exact-output.ts'
import { assertKept } from './exact/invariants.ts'
import { largestRoutable } from './exact/largest-routable.ts'
import { type FoundRoute, settledRivals } from './exact/search-and-settle.ts'
import { AMOUNT_LIMIT } from './exact/shares.ts'
import { excerptOf } from './excerpt/excerpt.ts'
import { LARGE_GRAPH, PART_OF_WORK } from './excerpt/tolerances.ts'
import { outputPerWei } from './gas-price.ts'
import type { Graph } from './graph/graph.ts'
import { isWorthless } from './integrate/promise.ts'
import { startsOrEndsNative } from './native.ts'
import { netBound } from './net-bound/net-bound.ts'
import { MOST_WORK, WorkBudget, WorkSpent } from './problem/budget.ts'
import type { Ends } from './problem/passable.ts'
import { Admission, DEFAULT_MAX_HOPS, DEFAULT_MAX_POOLS, erc20Of, isFree, type Problem } from './problem/problem.ts'
import { type DualPrices, dualPrices } from './proof/dual-prices.ts'
import { proveBound } from './proof/prove.ts'
import { isSurcharging } from './taxes.ts'
import { netGapBps, toRoute, wrapRoute } from './to-route.ts'
import { ROUTE_PART } from './tolerances.ts'
import type { BoundProof, ExactOutputRequest, Route, RouteRequest, RouteResult, RouteTerms } from './types.ts'

/** One by the part of the most that pools were found to pay that is not offered when more is refused. */
const OUTPUT_LEEWAY = 100_000n

/** Work that a proof may take beside its route: about a quarter of a second. */
const PROOF_WORK = MOST_WORK / 4

/** Bytes of calldata that a leg adds to a transaction. */
const HOP_BYTES = 48

type Refusal = Extract<RouteResult, { readonly ok: false }>
/** A request made ready; of an output, the amount of its problem is still to be set. */
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
      const result = withProof(graph, request, routeWithin(graph, request, budget))
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
  const opening = opened(graph, request, budget)
  if ('ok' in opening) return opening
  if ('amountOut' in request) return routeForOutput(opening.on(opening.graph), request)
  return routeOnPart(opening, request, budget) ?? routeForInput(opening.on(opening.graph), request)
}

/** A route with the proof of its bound, where the request wants it. The proof has its own work, so the route is the same without it. */
function withProof(graph: Graph, request: RouteRequest | ExactOutputRequest, result: RouteResult): RouteResult {
  if (!request.proof || !result.ok || 'amountOut' in request) return result
  const { tokenIn, tokenOut, wrappedNative, amountIn, haircuts, excludePools } = request
  const sold = erc20Of(tokenIn, wrappedNative)!
  if (sold === erc20Of(tokenOut, wrappedNative)) return { ...result, proof: trivialProof(sold, amountIn) }
  const fading = [...(haircuts ?? [])].filter(([, ppm]) => ppm >= FLOAT_PPM).map(([id]) => id)
  const { haircuts: _, ...terms } = request
  const free = {
    ...{ ...terms, gasPriceWei: 0n, l1FeePerByteWei: 0 },
    excludePools: new Set([...(excludePools ?? []), ...fading]),
  }
  const budget = new WorkBudget(PROOF_WORK)
  const prove = () => {
    const opening = opened(graph, free, budget)
    if ('ok' in opening) return null
    const known = pricesOnPart(opening, free) ?? dualPrices(whole(opening.on(opening.graph)))
    const all = [result.route, ...(result.rivals ?? [])]
    const paid = all.reduce((most, { amountOut }) => (most > amountOut ? most : amountOut), 0n)
    return known && proveBound(opening.on(opening.graph).problem, amountIn, known, paid)
  }
  return { ...result, proof: budget.attempt(1, prove, () => null) }
}

/** A trade may always be divided as far as its bound is concerned. */
const whole = ({ problem }: Prepared): Problem => ({ ...problem, onePath: false, maxPools: DEFAULT_MAX_POOLS })

/** Dual prices on the part of a large graph that the trade may use; null of other graphs. */
function pricesOnPart({ graph, ends, on }: Opening, request: RouteRequest): DualPrices | null {
  if (graph.topology.from.length < LARGE_GRAPH) return null
  return graph.topology.scratch.ofParts.within(() => {
    const part = excerptOf(graph, request.trust, ends, on)
    return part && dualPrices(whole(part))
  })
}

/** Wrapping pays one for one. */
function trivialProof(token: Address, amountIn: bigint): BoundProof {
  const beyond = { pools: 0, earned: 0n }
  return { decimals: 0, prices: [[token, [1n]]], pools: [], beyond, allowance: 0n, bound: amountIn, maxHops: 0 }
}

/** The route on the part of a large graph that the trade may use; null of other graphs, and where none is found there. */
function routeOnPart({ graph, ends, on }: Opening, request: RouteRequest, budget: WorkBudget): RouteResult | null {
  if (graph.topology.from.length < LARGE_GRAPH) return null
  const find = () => {
    const prepared = excerptOf(graph, request.trust, ends, on)
    return prepared && routed(prepared, request)
  }
  return graph.topology.scratch.ofParts.within(() => budget.attempt(PART_OF_WORK, find, () => null))
}

/** A request's problem before it is known on which graph: all of one, or a part. */
type Opening = { readonly graph: Graph; readonly ends: Ends; readonly on: (graph: Graph) => Prepared }

/** The problem of a request, or why there is none. */
function opened(chainGraph: Graph, request: RouteRequest | ExactOutputRequest, budget: WorkBudget): Opening | Refusal {
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
  const whole = startsOrEndsNative(request) ? chainGraph.joined : chainGraph
  const source = whole.topology.tokenIndex.get(sold)
  const target = whole.topology.tokenIndex.get(bought)
  if (source === undefined || target === undefined)
    return refusal('UNKNOWN_TOKEN', `no pool is known that trades ${source === undefined ? sold : bought}`)

  const outPerWei = outputPerWei(chainGraph, request, target)
  const on = (graph: Graph): Prepared => {
    const { tokenIndex } = graph.topology
    const admission = new Admission(graph, request, tokenIndex.get(sold)!, tokenIndex.get(bought)!)
    return { problem: problemOf(graph, request, { admission, outPerWei, budget }), admission, outPerWei }
  }
  return { graph: whole, ends: { source, target }, on }
}

type Terms = { readonly admission: Admission; readonly outPerWei: number; readonly budget: WorkBudget }

function problemOf(
  graph: Graph,
  request: RouteRequest | ExactOutputRequest,
  { admission, outPerWei, budget }: Terms,
): Problem {
  const { rate, rateBack, taxed, believed, learned, measured, source, target } = admission
  return {
    graph,
    swap: request,
    source,
    target,
    amountIn: 'amountIn' in request ? Number(request.amountIn) : 0,
    maxHops: Math.min(request.maxHops ?? DEFAULT_MAX_HOPS, request.maxSplits ?? DEFAULT_MAX_POOLS),
    maxPools: request.maxSplits ?? DEFAULT_MAX_POOLS,
    onePath: request.maxSplits === 1,
    reuse: graph.topology.hasWidePools,
    rate,
    rateBack,
    taxed,
    believed,
    learned,
    measured,
    perGas: Number(request.gasPriceWei) * outPerWei,
    perLeg: HOP_BYTES * (request.l1FeePerByteWei ?? 0) * outPerWei,
    mostRivals: request.mostRivals ?? 0,
    budget,
  }
}

/** The best route of the amount; null where all of it does not route. */
function routed({ problem, admission, outPerWei }: Prepared, request: RouteRequest): RouteResult | null {
  const { amountIn } = request
  const find = () => bestRoute(problem, amountIn, request, admission)
  const found = amountIn < AMOUNT_LIMIT ? problem.budget.within(ROUTE_PART, find) : null
  if (!found) return null
  // Before the bound, so that the work it takes makes no difference to them.
  const all = [found, ...settledRivals(problem, found, amountIn, request.taxes)]
  const isBounded = !request.boundAfterGas || isFree(problem) || found.netBound !== undefined
  const worth = { outPerWei, netBound: isBounded ? netBoundOf(problem, found) : null }
  const [route, ...rivals] = all.map((each) => toRoute(problem, each, amountIn, request, worth))
  const told = { ok: true, route: route!, ...(rivals.length > 0 && { rivals }) } as const
  const isLate = !isBounded && request.boundAfterGas === 'later' && route!.gasCostOut !== null
  return isLate ? { ...told, boundAfterGas: lateBound(problem, all, [route!, ...rivals], request) } : told
}

/** The bound after gas for later: on copies, since what a search works on is lent. */
function lateBound(
  problem: Problem,
  all: readonly FoundRoute[],
  routes: readonly Route[],
  request: RouteTerms,
): () => void {
  const [best] = all
  const { best: values, link, hops } = best!.backward
  const backward = { best: values.slice(), link: link.slice(), hops: hops.slice() }
  const own = { ...problem, rate: problem.rate.slice(), rateBack: problem.rateBack.slice(), budget: new WorkBudget() }
  return () => {
    const bound = own.budget.attempt(
      1,
      () => netBoundOf(own, { ...best!, backward }),
      () => null,
    )
    for (const [k, route] of routes.entries())
      Object.assign(route, { optimalityGapNetBps: netGapBps(own, all[k]!, request, bound) })
  }
}

function routeForInput(prepared: Prepared, request: RouteRequest): RouteResult {
  const result = routed(prepared, request)
  if (result) return result
  const { problem, admission } = prepared
  const { amountIn } = request
  const most = largestRoutable(problem, amountIn, request)
  const reasons = admission.rejected
  if (most === 0n) return noRoute(problem, request, admission)
  const message = `the pools cannot take ${amountIn}; about ${most} can be routed`
  return { ...refusal('INSUFFICIENT_LIQUIDITY', message), reasons, maxRoutableAmount: most }
}

function routeForOutput({ problem, admission, outPerWei }: Prepared, request: ExactOutputRequest): RouteResult {
  const { amountOut } = request
  const found = leastInput(problem, amountOut, request)
  if (!found) return noRoute(problem, request, admission)
  const { amountIn, route } = found
  if (route.settlement.amountOut >= amountOut) {
    const asked = { ...problem, amountIn: Number(amountIn) }
    const worth = { outPerWei, netBound: request.boundAfterGas === 'never' ? null : netBoundOf(asked, route) }
    return { ok: true, route: toRoute(asked, route, amountIn, request, worth) }
  }
  // A little less than the most found, so that a search that begins elsewhere finds an input for it as well.
  const paid = route.settlement.amountOut
  const most = paid - paid / OUTPUT_LEEWAY
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
