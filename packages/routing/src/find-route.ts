/** From a request to a settled route, or to the reasons why there is none. Pure and deterministic. */

import type { Trust } from '@sluice/liquidity'
import { RoutingError } from './errors.ts'
import type { Graph } from './graph.ts'
import { assertKept } from './invariants.ts'
import { startsOrEndsNative, usesWrapper, WRAP_GAS, withoutWrapper } from './native.ts'
import { WorkBudget, WorkSpent } from './search/budget.ts'
import type { Flow } from './search/flow.ts'
import { type Ends, passableRates } from './search/passable.ts'
import { potential } from './search/potentials.ts'
import { Admission, DEFAULT_MAX_HOPS, DEFAULT_MAX_POOLS, erc20Of, type Problem } from './search/problem.ts'
import { outputOf } from './search/response.ts'
import { bestSinglePath } from './search/single-path.ts'
import { type FoundRoute, netOf, searchAndSettle, unlessSpent } from './search-and-settle.ts'
import { isSurcharging } from './taxes.ts'
import type { Route, RouteRequest, RouteResult } from './types.ts'

/** A leg's amount is 16 bytes in the program; no token in use has as many base units. */
const AMOUNT_LIMIT = 2n ** 128n
/** Bytes of calldata that a leg adds to a transaction. */
const HOP_BYTES = 48
/** What an ordinary swap costs, to price the native token at a size that matters. */
const USUAL_ROUTE_GAS = 300_000
const USUAL_ROUTE_BYTES = 600

/** The part of a budget that a route may take; the rest is for finding out how much does route, where all does not. */
const ROUTE_PART = 0.8
/** Of that, what dividing the trade may take; the rest is for a single path. */
const SEARCH_PART = 0.9

/**
 * @param budget - the work that may be done; the default is far more than any usual request needs
 * @throws RoutingError `ROUTE_INVARIANT`, `WORK_SPENT`
 */
export function findRoute(graph: Graph, request: RouteRequest, budget = new WorkBudget()): RouteResult {
  return graph.topology.scratch.within(() => {
    try {
      const result = routeWithin(graph, request, budget)
      if (result.ok) assertKept(result.route, request)
      return result
    } catch (error) {
      if (!(error instanceof WorkSpent)) throw error
      throw new RoutingError('WORK_SPENT', 'the work allowed for a request was not enough for any route')
    }
  })
}

function routeWithin(chainGraph: Graph, request: RouteRequest, budget: WorkBudget): RouteResult {
  const { wrappedNative, amountIn } = request
  const sold = erc20Of(request.tokenIn, wrappedNative)
  const bought = erc20Of(request.tokenOut, wrappedNative)
  if (sold === null || bought === null)
    return { ok: false, code: 'NO_ROUTE', message: 'this chain has no wrapper for its native token', reasons: [] }
  if (sold === bought) return { ok: true, route: wrapRoute(request) }
  const surcharging = [sold, bought].find((token) => isSurcharging(request.taxes, token))
  if (surcharging)
    return {
      ok: false,
      code: 'BAD_TOKEN',
      message: `${surcharging} charges its sender on top of what is sent: no swap can promise what it takes or leaves`,
      reasons: [],
    }
  const graph = startsOrEndsNative(request) ? chainGraph.joined : chainGraph
  const source = graph.topology.tokenIndex.get(sold)
  const target = graph.topology.tokenIndex.get(bought)
  if (source === undefined || target === undefined) {
    const token = source === undefined ? sold : bought
    return { ok: false, code: 'UNKNOWN_TOKEN', message: `no pool is known that trades ${token}`, reasons: [] }
  }

  const outPerWei = outputPerWei(chainGraph, request, target)
  const admission = new Admission(graph, request, source, target)
  const problem: Problem = {
    graph,
    source,
    target,
    amountIn: Number(amountIn),
    maxHops: Math.min(request.maxHops ?? DEFAULT_MAX_HOPS, request.maxSplits ?? DEFAULT_MAX_POOLS),
    maxPools: request.maxSplits ?? DEFAULT_MAX_POOLS,
    onePath: request.maxSplits === 1,
    reuse: graph.topology.hasWidePools,
    rate: admission.rate,
    rateBack: admission.rateBack,
    taxed: admission.taxed,
    perGas: Number(request.gasPriceWei) * outPerWei,
    perLeg: HOP_BYTES * (request.l1FeePerByteWei ?? 0) * outPerWei,
    budget,
  }
  const found = amountIn < AMOUNT_LIMIT ? budget.within(ROUTE_PART, () => bestOf(problem, request, admission)) : null
  if (found) return { ok: true, route: toRoute(problem, found, request, outPerWei) }

  const most = largestRoutable(problem, request)
  return most > 0n
    ? {
        ok: false,
        code: 'INSUFFICIENT_LIQUIDITY',
        message: `the pools cannot take ${amountIn}; about ${most} can be routed`,
        reasons: admission.rejected,
        maxRoutableAmount: most,
      }
    : {
        ok: false,
        code: 'NO_ROUTE',
        message: `no path of at most ${problem.maxHops} pools leads from ${request.tokenIn} to ${request.tokenOut}`,
        reasons: admission.rejected,
      }
}

function bestOf(problem: Problem, request: RouteRequest, admission: Admission): FoundRoute | null {
  const { amountIn, taxes } = request
  // Where every division meets a pool that refuses its part, one path may still take all.
  const divide = () => searchAndSettle(problem, amountIn, admission, taxes)
  const found =
    problem.budget.attempt(SEARCH_PART, divide, () => null) ??
    routedAs({ ...problem, onePath: true }, amountIn, request)
  if (!found || problem.perGas === 0 || !usesWrapper(found.settlement.legs, request)) return found
  // The search knows no cost that legs share: a route that needs no wrap may be worth more by what one costs.
  const native = admit(problem, amountIn, request)
  if (!withoutWrapper(native.admission, problem, request)) return found
  const other = unlessSpent(problem, () => searchAndSettle(native.problem, amountIn, native.admission, taxes))
  return other && netOf(problem, other) > netOf(problem, found) - WRAP_GAS * problem.perGas
    ? { ...other, bound: found.bound }
    : found
}

/** Output base units for a wei, by graph and what is trusted on it (the graph itself where all is), target and what a swap costs. */
const worthOfWei = new WeakMap<Graph, WeakMap<Graph | Trust, Map<string, number>>>()
/** Prices kept of one graph; a block has fewer targets. */
const MOST_KEPT = 10_000

/**
 * Output base units for a wei, by the best path for about what a swap's gas costs: a marginal rate alone would believe a
 * mispriced pool with next to nothing in it. 0 where nothing is to be paid or no path leads from the native token.
 */
function outputPerWei(graph: Graph, request: RouteRequest, target: number): number {
  const { wrappedNative, nativeErc20, l1FeePerByteWei = 0 } = request
  const costWei = USUAL_ROUTE_GAS * Number(request.gasPriceWei) + USUAL_ROUTE_BYTES * l1FeePerByteWei
  const native = wrappedNative === null ? nativeErc20 : { token: wrappedNative, unitsPerWei: 1 }
  const source = native && graph.topology.tokenIndex.get(native.token)
  if (costWei === 0 || source === undefined || !native) return 0
  if (target === source) return native.unitsPerWei
  const byTrust = worthOfWei.get(graph) ?? new WeakMap<Graph | Trust, Map<string, number>>()
  worthOfWei.set(graph, byTrust)
  const known = byTrust.get(request.trust ?? graph) ?? new Map<string, number>()
  byTrust.set(request.trust ?? graph, known)
  const key = `${source} ${target} ${costWei}`
  const worth =
    known.get(key) ?? outputFor(graph, { source, target }, costWei * native.unitsPerWei, request.trust) / costWei
  if (known.size >= MOST_KEPT) known.clear()
  known.set(key, worth)
  return worth
}

/** What the best path for an amount pays, gas aside; 0 where there is none. */
function outputFor(graph: Graph, ends: Ends, amountIn: number, trust: Trust | undefined): number {
  const rates = passableRates(graph, trust, ends, undefined, () => {})
  const free = { perGas: 0, perLeg: 0, taxed: new Map() }
  // Known to all requests of the block that ask the same, so none of them pays for it; one path is bounded work.
  const limits = { maxHops: 3, maxPools: 3, onePath: true, reuse: false, budget: new WorkBudget() }
  const problem: Problem = { graph, ...ends, amountIn, ...limits, ...rates, ...free }
  const path = bestSinglePath(problem, potential(problem, ends.target, 'to'))
  return path?.reduce((amount, edge) => outputOf(graph.edges[edge]!.response, amount), amountIn) ?? 0
}

function toRoute(problem: Problem, found: FoundRoute, request: RouteRequest, outPerWei: number): Route {
  const { tokenIn, tokenOut, amountIn } = request
  const { legs, amountOut } = found.settlement
  const gas = legs.reduce((sum, leg) => sum + leg.gas, usesWrapper(legs, request) ? WRAP_GAS : 0)
  const priced = outPerWei > 0 || request.gasPriceWei === 0n
  return {
    tokenIn,
    tokenOut,
    amountIn,
    amountOut,
    legs,
    gas,
    gasCostOut: priced ? BigInt(Math.round(gas * Number(request.gasPriceWei) * outPerWei)) : null,
    midAmountOut: midAmountOut(problem, found.flow),
    optimalityGapBps: gapBps(found, amountOut),
  }
}

function gapBps({ bound }: FoundRoute, amountOut: bigint): number | null {
  if (bound === null || bound <= 0) return null
  return Math.max(0, (1 - Number(amountOut) / bound) * 10_000)
}

/** What the same shares would buy at the pools' mid prices: no fee, no tax, no impact. */
function midAmountOut({ graph, source, target, amountIn }: Problem, { edges, input }: Flow): bigint | null {
  const { from, to, tokens, scratch } = graph.topology
  const sold = scratch.floats(tokens.length, 0)
  const held = scratch.floats(tokens.length, 0)
  for (let k = 0; k < edges.length; k++) sold[from[edges[k]!]!]! += input[k]!
  held[source] = amountIn
  for (let k = 0; k < edges.length; k++) {
    const edge = edges[k]!
    const token = from[edge]!
    held[to[edge]!]! += held[token]! * (input[k]! / sold[token]!) * graph.edges[edge]!.response.sqrtPrice[0]! ** 2
  }
  const amount = held[target]!
  return Number.isFinite(amount) && amount > 0 ? BigInt(Math.round(amount)) : null
}

function wrapRoute({ tokenIn, tokenOut, amountIn }: RouteRequest): Route {
  return {
    tokenIn,
    tokenOut,
    amountIn,
    amountOut: amountIn,
    legs: [],
    gas: WRAP_GAS,
    gasCostOut: null,
    midAmountOut: amountIn,
    optimalityGapBps: 0,
  }
}

/** Admitted anew: a pool that refuses one amount may take a smaller one. */
function routedAs(problem: Problem, amountIn: bigint, request: RouteRequest): FoundRoute | null {
  const anew = admit(problem, amountIn, request)
  return searchAndSettle(anew.problem, amountIn, anew.admission, request.taxes)
}

function admit(problem: Problem, amountIn: bigint, request: RouteRequest) {
  const admission = new Admission(problem.graph, request, problem.source, problem.target)
  const { rate, rateBack, taxed } = admission
  return { admission, problem: { ...problem, amountIn: Number(amountIn), rate, rateBack, taxed } }
}

/**
 * Largest input that still routes, to half a percent; 0 where none does. Amounts may be off by seventy powers of ten, so
 * the power of two is bisected first: by single paths, which are found in no time, and from there on by divisions. Each turn
 * halves what is left between the bounds. Where the budget is spent, the largest found until then.
 */
function largestRoutable(problem: Problem, request: RouteRequest): bigint {
  const amountIn = request.amountIn < AMOUNT_LIMIT ? request.amountIn : AMOUNT_LIMIT
  const single = { ...problem, onePath: true }
  let largest = 0n
  const routes = (amount: bigint, as = problem): boolean => {
    const found =
      routedAs(single, amount, request) !== null || (as !== single && routedAs(as, amount, request) !== null)
    if (found && amount > largest) largest = amount
    return found
  }
  try {
    // Below 2^least it routes, with 2^most or all of it it does not.
    let [least, most] = [-1n, BigInt(amountIn.toString(2).length)]
    for (const as of [single, problem]) {
      const end = most
      while (most - least > 1n) {
        const middle = (least + most) / 2n
        if (routes(1n << middle, as)) least = middle
        else most = middle
      }
      if (least < 0n) return 0n
      if (as === single) most = end
    }
    let low = 1n << least
    let high = amountIn < 1n << most ? amountIn : 1n << most
    while (high - low > 1n && (high - low) * 200n > high) {
      const middle = (low + high) / 2n
      if (routes(middle)) low = middle
      else high = middle
    }
  } catch (error) {
    if (!(error instanceof WorkSpent)) throw error
  }
  return largest
}
