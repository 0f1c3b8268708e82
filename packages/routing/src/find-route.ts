/** From a request to a settled route, or to the reasons why there is none. Pure and deterministic. */
import { type Address, NATIVE } from '@sluice/chains'
import type { Graph } from './graph.ts'
import { bestPaths, bestSinglePaths } from './search/best-path.ts'
import { netOutput, splitFlow } from './search/columns.ts'
import { type Flow, optimise, usedEdges } from './search/flow.ts'
import { DEFAULT_MAX_HOPS, DEFAULT_MAX_POOLS, EdgeFilter, erc20Of, type Problem } from './search/problem.ts'
import { outputOf } from './search/response.ts'
import { LegRefused, type Settlement, settle } from './settle.ts'
import type { Route, RouteRequest, RouteResult } from './types.ts'

/** Pools that may refuse before the search is given up. */
const MAX_REFUSALS = 12
/** Gas of a wrap or an unwrap. */
const WRAP_GAS = 30_000
const MAX_BISECTIONS = 40
/** Bytes of calldata that a leg adds to a transaction. */
const HOP_BYTES = 48
/** What an ordinary swap costs, to price the native token at a size that matters. */
const USUAL_ROUTE_GAS = 300_000
const USUAL_ROUTE_BYTES = 600

export function findRoute(graph: Graph, request: RouteRequest): RouteResult {
  const { wrappedNative, amountIn } = request
  const source = erc20Of(request.tokenIn, wrappedNative)
  const target = erc20Of(request.tokenOut, wrappedNative)
  if (source === null || target === null)
    return { ok: false, code: 'NO_ROUTE', message: 'this chain has no wrapper for its native token', reasons: [] }
  if (source === target) return { ok: true, route: wrapRoute(request) }
  for (const token of [source, target]) {
    if (!graph.edgesFrom.has(token))
      return { ok: false, code: 'UNKNOWN_TOKEN', message: `no pool is known that trades ${token}`, reasons: [] }
  }

  const outPerWei = outputPerWei(graph, request, target)
  const filter = new EdgeFilter(graph, request, source, target)
  const problem: Problem = {
    source,
    target,
    amountIn,
    maxHops: request.maxHops ?? DEFAULT_MAX_HOPS,
    maxPools: request.maxSplits ?? DEFAULT_MAX_POOLS,
    free: outPerWei === 0,
    cost: ({ gas }) => (gas * Number(request.gasPriceWei) + HOP_BYTES * (request.l1FeePerByteWei ?? 0)) * outPerWei,
    edgesFrom: (token) => filter.edgesFrom(token),
  }
  const found = search(problem, amountIn, filter, request)
  if (found) return { ok: true, route: toRoute(found, request, outPerWei) }

  const most = largestRoutable(graph, problem, request)
  return most > 0n
    ? {
        ok: false,
        code: 'INSUFFICIENT_LIQUIDITY',
        message: `the pools cannot take ${amountIn}; about ${most} can be routed`,
        reasons: filter.rejected,
        maxRoutableAmount: most,
      }
    : {
        ok: false,
        code: 'NO_ROUTE',
        message: `no path of at most ${problem.maxHops} pools leads from ${request.tokenIn} to ${request.tokenOut}`,
        reasons: filter.rejected,
      }
}

type Found = { readonly flow: Flow; readonly settlement: Settlement }

/** Searches, settles, and searches again without the pools that refused. */
function search(problem: Problem, amountIn: bigint, filter: EdgeFilter, request: RouteRequest): Found | null {
  for (let refusals = 0; refusals <= MAX_REFUSALS; refusals++) {
    const flow = bestFlow(problem, Number(amountIn))
    if (!flow) return null
    try {
      const settlement = settle(flow, problem.source, problem.target, amountIn, request.tax)
      return settlement.amountOut > 0n ? { flow, settlement } : null
    } catch (error) {
      if (!(error instanceof LegRefused)) throw error
      filter.ban(error.pool, error.message)
    }
  }
  return null
}

/** The better, net of gas, of the split route and the best single paths of each length. */
function bestFlow(problem: Problem, amountIn: number): Flow | null {
  const { source, target } = problem
  const singles = bestSinglePaths(problem, amountIn)
  const [seed] = singles
  if (!seed) return null
  const flows = singles.map((edges) => optimise(edges, source, target, amountIn))
  if (problem.maxPools > 1) flows.push(splitFlow(problem, seed, amountIn))
  const fitting = flows.filter((flow): flow is Flow => flow !== null && usedEdges(flow).length <= problem.maxPools)
  return fitting.sort((a, b) => netOutput(problem, b) - netOutput(problem, a))[0] ?? null
}

/**
 * Output base units for a wei, by the best path for about what a swap's gas costs: a marginal rate alone would believe a
 * mispriced pool with next to nothing in it. 0 where nothing is to be paid or no path leads from the native token.
 */
function outputPerWei(graph: Graph, request: RouteRequest, target: Address): number {
  const { wrappedNative, nativeErc20, l1FeePerByteWei = 0 } = request
  const costWei = USUAL_ROUTE_GAS * Number(request.gasPriceWei) + USUAL_ROUTE_BYTES * l1FeePerByteWei
  const native = wrappedNative === null ? nativeErc20 : { token: wrappedNative, unitsPerWei: 1 }
  if (costWei === 0 || !native) return 0
  if (target === native.token) return native.unitsPerWei
  const paths = bestPaths(
    { source: native.token, target, maxHops: 3, edgesFrom: (token) => graph.edgesFrom.get(token) ?? [] },
    costWei * native.unitsPerWei,
    ({ response }, value) => outputOf(response, value),
  )
  return Math.max(0, ...paths.map(({ value }) => value)) / costWei
}

function toRoute({ flow, settlement }: Found, request: RouteRequest, outPerWei: number): Route {
  const { tokenIn, tokenOut, amountIn } = request
  const wraps = (tokenIn === NATIVE ? 1 : 0) + (tokenOut === NATIVE ? 1 : 0)
  const gas = settlement.legs.reduce((sum, leg) => sum + leg.gas, wraps * WRAP_GAS)
  const priced = outPerWei > 0 || request.gasPriceWei === 0n
  return {
    tokenIn,
    tokenOut,
    amountIn,
    amountOut: settlement.amountOut,
    legs: settlement.legs,
    gas,
    gasCostOut: priced ? BigInt(Math.round(gas * Number(request.gasPriceWei) * outPerWei)) : null,
    midAmountOut: midAmountOut(flow, Number(amountIn)),
    optimalityGapBps: null,
  }
}

/** What the same shares would buy at the pools' mid prices: no fee, no tax, no impact. */
function midAmountOut({ order, out, share }: Flow, amountIn: number): bigint | null {
  const held = new Map<Address, number>([[order[0]!, amountIn]])
  for (const token of order) {
    for (const edge of out.get(token) ?? []) {
      const mid = edge.response.sqrtPrice[0]! ** 2
      const bought = (held.get(token) ?? 0) * share.get(edge)! * mid
      held.set(edge.tokenOut, (held.get(edge.tokenOut) ?? 0) + bought)
    }
  }
  const amount = held.get(order.at(-1)!) ?? 0
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

/** Largest input that still routes, by bisection on the same graph to half a percent; 0 where none does. */
function largestRoutable(graph: Graph, problem: Problem, request: RouteRequest): bigint {
  // A filter of its own each time: a pool that refuses one amount may take a smaller one.
  const routes = (amount: bigint) => {
    const filter = new EdgeFilter(graph, request, problem.source, problem.target)
    const smaller = { ...problem, amountIn: amount, edgesFrom: (token: Address) => filter.edgesFrom(token) }
    return amount > 0n && search(smaller, amount, filter, request) !== null
  }
  let low = 0n
  let high = problem.amountIn
  for (let step = 0; step < MAX_BISECTIONS && high > 1n; step++) {
    const middle = low === 0n ? high / 16n : (low + high) / 2n
    if (middle === low) break
    if (routes(middle)) low = middle
    else high = middle
    if (low > 0n && (high - low) * 200n < low) break
  }
  return low
}
