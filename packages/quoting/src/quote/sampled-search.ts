/**
 * Searches routes that may use sampled pools. Called by `findWorkingRoute`. A sampled pool has no known formula: only
 * its outputs for some inputs (samples) are known. These outputs come from code that anyone can deploy, so the pool can
 * pay less in a transaction than in a simulation. Only the minimum output of a transaction is guaranteed. So a route
 * through untrusted sampled pools is used in two cases only. Either no other route exists, or its minimum output
 * reaches the output of the best route without such pools. Trusted pools have behaved well for many blocks. A view is
 * the chain's state at one block.
 */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, isTrustedPool, type Pool, type SampledSwap, type Snapshot } from '@sluice/liquidity'
import {
  type ExactOutputRequest,
  isNamedSource,
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
  /** True to sample the pools of the found route at the amounts of the route, and to search again. */
  readonly mayRefine: boolean
}

/** Result of a search, with the view and the request that reproduce it. */
export type SampledSearchResult = {
  /** The view of the last search: the same block, possibly with more samples. */
  readonly view: ChainView
  readonly searchRequest: SearchRequest
  readonly result: RouteResult
}

/**
 * Searches a route.
 *
 * @param trustedRequest - request that admits no untrusted sampled pools
 * @throws RoutingError
 */
export async function searchSampled(
  firstView: ChainView,
  trustedRequest: SearchRequest,
  { search, signal, slippagePpmOf, mayRefine }: Context,
): Promise<SampledSearchResult> {
  const { trust, sources } = trustedRequest
  const isUntrusted = (pool: Pool) =>
    trust !== undefined && isSampled(pool) && !isTrustedPool(pool, trust) && !isNamedSource(pool, sources)
  const admitsUntrusted = sampledPoolsAtEnds(firstView.snapshot, trustedRequest).some(isUntrusted)
  const searchRequest = admitsUntrusted ? { ...trustedRequest, withSampled: true } : trustedRequest
  let view = firstView
  let result = await search(view, searchRequest, signal)
  const refinedView = result.ok && mayRefine ? await samplePoolsOf(view, result.route) : undefined
  if (refinedView) {
    const refinedResult = await search(refinedView, searchRequest, signal)
    if (refinedResult.ok) [view, result] = [refinedView, refinedResult]
  }
  if (!admitsUntrusted) return { view, searchRequest, result }
  // An untrusted pool may pay anything between two samples, so a search with such pools has a weaker bound. A route
  // without untrusted pools is therefore taken from a search without such pools.
  const trustedResult = await search(view, trustedRequest, signal)
  const usesUntrusted = ({ legs }: RoutePlan) => legs.some(({ pool }) => isUntrusted(pool))
  if (!result.ok || !usesUntrusted(result.route)) return { view, searchRequest: trustedRequest, result: trustedResult }
  if (trustedResult.ok && !guaranteesMore(result.route, trustedResult.route, slippagePpmOf(result.route)))
    return { view, searchRequest: trustedRequest, result: trustedResult }
  // The simulation chooses between alternatives, and an untrusted pool could pay more in a simulation to be chosen.
  const trustedAlternatives = result.alternatives?.filter((alternative) => !usesUntrusted(alternative))
  return {
    view,
    searchRequest,
    result: { ...result, ...(trustedAlternatives && { alternatives: trustedAlternatives }) },
  }
}

const sampledPoolsBySnapshot = new WeakMap<Snapshot, readonly Pool[]>()

/**
 * Returns the sampled pools that trade the input or output token of a request. The market limits the number of pools.
 */
function sampledPoolsAtEnds(snapshot: Snapshot, { tokenIn, tokenOut, wrappedNative }: SearchRequest): readonly Pool[] {
  let pools = sampledPoolsBySnapshot.get(snapshot)
  if (!pools) {
    pools = [...snapshot.pools.values()].filter(isSampled)
    sampledPoolsBySnapshot.set(snapshot, pools)
  }
  const asWrapped = (token: Address) => (token === NATIVE || token === ZERO_ADDRESS ? wrappedNative : token)
  const endTokens = [asWrapped(tokenIn), asWrapped(tokenOut)]
  return pools.filter(({ tokens }) => tokens.some((token) => endTokens.includes(asWrapped(token))))
}

/** True if the minimum output of a route, after gas, is at least the expected output of the other route. */
function guaranteesMore(route: RoutePlan, otherRoute: RoutePlan, slippagePpm: bigint): boolean {
  // Both inputs are equal, or both outputs are equal. Comparing output per input is right in both cases.
  const minOutput = minOutputOf(route.amountOut, slippagePpm) - (route.gasCostOut ?? 0n)
  return minOutput * otherRoute.amountIn >= (otherRoute.amountOut - (otherRoute.gasCostOut ?? 0n)) * route.amountIn
}

/** Samples the pools of a route at the route's amounts; undefined if nothing needs sampling, or if sampling fails. */
async function samplePoolsOf(view: ChainView, { legs }: RoutePlan): Promise<ChainView | undefined> {
  if (!view.refine) return undefined
  const swaps = new Map<string, SampledSwap[]>()
  const soldByDirection = new Map<string, bigint>()
  for (const { pool, tokenIn, tokenOut, amountIn } of legs) {
    const sampling = familyOf(pool.family)?.sampled
    if (!sampling) continue
    // A second leg through the same pool starts at the state that the first leg leaves.
    const direction = [pool.id, tokenIn, tokenOut].join()
    const amountSoFar = (soldByDirection.get(direction) ?? 0n) + amountIn
    soldByDirection.set(direction, amountSoFar)
    const swap = { tokenIn, tokenOut, amountIn: amountSoFar }
    const poolInSnapshot = view.snapshot.pools.get(pool.id) ?? pool
    if (!sampling.isSampledAt(poolInSnapshot, swap)) swaps.set(pool.id, [...(swaps.get(pool.id) ?? []), swap])
  }
  if (swaps.size === 0) return undefined
  try {
    return await view.refine(swaps)
  } catch (error) {
    // The route is then quoted from fewer samples. Its simulation is exact in any case.
    if (error instanceof RpcError) return undefined
    throw error
  }
}
