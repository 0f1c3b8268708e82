/**
 * Searches routes with sampled pools, whose answers are those of code that anyone can deploy. Such a pool can behave
 * differently in a simulation and in a transaction. A transaction promises only its minimum output. So a route through
 * untrusted pools is used only if no other route exists, or if its minimum output reaches the output of the best route
 * without them.
 */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, isTrustedPool, type Pool, type SampledSwap, type Snapshot } from '@sluice/liquidity'
import {
  type ExactOutputRequest,
  isChosen,
  isSampled,
  type RoutePlan,
  type RouteRequest,
  type RouteResult,
} from '@sluice/routing'
import { RpcError } from '@sluice/rpc'
import type { ChainView } from '../view/view.ts'
import { minOutputOf } from './amounts.ts'
import type { Search } from './ports.ts'

type SearchRequest = RouteRequest | ExactOutputRequest

type Context = {
  readonly search: Search
  readonly signal: AbortSignal
  /** Slippage of a route's transaction, in ppm. */
  readonly slippagePpmOf: (route: RoutePlan) => bigint
  /** True to sample the route's pools at its own amounts, and to search again. */
  readonly mayRefine: boolean
}

/** Result of a search. The same request on the pools of the view finds the same route. */
export type SampledSearchResult = {
  /** The view searched last: of the same block, with more samples. */
  readonly view: ChainView
  readonly searchRequest: SearchRequest
  readonly result: RouteResult
}

/** Searches a route. @throws RoutingError */
export async function searchSampled(
  firstView: ChainView,
  withoutSampled: SearchRequest,
  { search, signal, slippagePpmOf, mayRefine }: Context,
): Promise<SampledSearchResult> {
  const { trust, sources } = withoutSampled
  const isUntrusted = (pool: Pool) =>
    trust !== undefined && isSampled(pool) && !isTrustedPool(pool, trust) && !isChosen(pool, sources)
  const admitsUntrusted = sampledPoolsAtEnds(firstView.snapshot, withoutSampled).some(isUntrusted)
  const searchRequest = admitsUntrusted ? { ...withoutSampled, withSampled: true } : withoutSampled
  let view = firstView
  let result = await search(view, searchRequest, signal)
  const refinedView = result.ok && mayRefine ? await refine(view, result.route) : undefined
  if (refinedView) {
    const again = await search(refinedView, searchRequest, signal)
    if (again.ok) [view, result] = [refinedView, again]
  }
  if (!admitsUntrusted) return { view, searchRequest, result }
  // Untrusted pools loosen the bounds of a route by what they may pay between their samples. So a route without them is
  // the result of a search without them.
  const other = await search(view, withoutSampled, signal)
  const usesUntrusted = ({ legs }: RoutePlan) => legs.some(({ pool }) => isUntrusted(pool))
  if (!result.ok || !usesUntrusted(result.route)) return { view, searchRequest: withoutSampled, result: other }
  if (other.ok && !guaranteesMore(result.route, other.route, slippagePpmOf(result.route)))
    return { view, searchRequest: withoutSampled, result: other }
  // The simulation decides between alternatives, which is what an untrusted pool can answer as it likes.
  const trustedAlternatives = result.alternatives?.filter((alternative) => !usesUntrusted(alternative))
  return {
    view,
    searchRequest,
    result: { ...result, ...(trustedAlternatives && { alternatives: trustedAlternatives }) },
  }
}

const sampledPools = new WeakMap<Snapshot, readonly Pool[]>()

/** Returns the sampled pools of the tokens that a request sells and buys. Their number is limited by the market. */
function sampledPoolsAtEnds(snapshot: Snapshot, { tokenIn, tokenOut, wrappedNative }: SearchRequest): readonly Pool[] {
  let pools = sampledPools.get(snapshot)
  if (!pools) {
    pools = [...snapshot.pools.values()].filter(isSampled)
    sampledPools.set(snapshot, pools)
  }
  const nameOf = (token: Address) => (token === NATIVE || token === ZERO_ADDRESS ? wrappedNative : token)
  const ends = [nameOf(tokenIn), nameOf(tokenOut)]
  return pools.filter(({ tokens }) => tokens.some((token) => ends.includes(nameOf(token))))
}

/** True if even the minimum that a route promises, after gas, is at least what the other is expected to pay. */
function guaranteesMore(route: RoutePlan, other: RoutePlan, slippagePpm: bigint): boolean {
  // Both inputs are the same, or both outputs. A unit of output per input counts in both cases.
  const minOutput = minOutputOf(route.amountOut, slippagePpm) - (route.gasCostOut ?? 0n)
  return minOutput * other.amountIn >= (other.amountOut - (other.gasCostOut ?? 0n)) * route.amountIn
}

/** Samples the pools of a route at its amounts; undefined if there is nothing to sample, or it fails. */
async function refine(view: ChainView, { legs }: RoutePlan): Promise<ChainView | undefined> {
  if (!view.refine) return undefined
  const swaps = new Map<string, SampledSwap[]>()
  const soldByPool = new Map<string, bigint>()
  for (const { pool, tokenIn, tokenOut, amountIn } of legs) {
    const samplingOf = familyOf(pool.family)?.sampled
    if (!samplingOf) continue
    // A further leg through the same pool continues where the one before it ended.
    const total = (soldByPool.get(pool.id + tokenIn) ?? 0n) + amountIn
    soldByPool.set(pool.id + tokenIn, total)
    const swap = { tokenIn, tokenOut, amountIn: total }
    const original = view.snapshot.pools.get(pool.id) ?? pool
    if (!samplingOf.isSampledAt(original, swap)) swaps.set(pool.id, [...(swaps.get(pool.id) ?? []), swap])
  }
  if (swaps.size === 0) return undefined
  try {
    return await view.refine(swaps)
  } catch (error) {
    // The route is quoted from fewer samples; its simulation is exact all the same.
    if (error instanceof RpcError) return undefined
    throw error
  }
}
