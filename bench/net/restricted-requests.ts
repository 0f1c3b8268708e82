/**
 * Restricted variants of requests. The routes of a variant are also allowed for the request itself, so the request's
 * route must pay at least as much.
 */
import { findRoute, type Graph, type RoutePlan, type RouteRequest } from '@sluice/routing'

const GWEI = 10n ** 9n
/** Gas prices of both benchmarks, in wei. */
export const GAS_PRICES = [GWEI / 10n, GWEI, 10n * GWEI, 50n * GWEI]
/** Maximum loss in basis points of the output. With a higher loss, a quote counts as lost to a restricted variant. */
export const LOST_BPS = 0.5
/** Values of `maxHops` of restricted requests. */
export const MAX_HOPS_VALUES = [1, 2, 3]
/** Values of `maxSplits`, the maximum number of pools, of restricted requests. */
export const MAX_SPLITS_VALUES = [1, 2, 3, 5, 8, 12]

/** Yields the variants of a request: with one family excluded, fewer hops, or fewer pools. */
function* restrictedRequests(
  request: RouteRequest,
  families: Iterable<string>,
): Generator<[name: string, RouteRequest]> {
  for (const family of families) yield [`without ${family}`, { ...request, sources: { exclude: new Set([family]) } }]
  for (const maxHops of MAX_HOPS_VALUES) yield [`${maxHops} hops`, { ...request, maxHops }]
  for (const maxSplits of MAX_SPLITS_VALUES) yield [`${maxSplits} pools`, { ...request, maxSplits }]
}

export type Alternative = { readonly name: string; readonly route: RoutePlan }

/**
 * Returns the route of a request, followed by the routes of its restricted variants that differ; null if the request
 * has no route.
 */
export function findAlternatives(graph: Graph, request: RouteRequest): readonly [Alternative, ...Alternative[]] | null {
  const ownRoute = findRoute(graph, request)
  if (!ownRoute.ok) return null
  const alternativeRoutes: [Alternative, ...Alternative[]] = [{ name: 'own', route: ownRoute.route }]
  const keys = new Set([keyOf(ownRoute.route)])
  for (const [name, restricted] of restrictedRequests(
    request,
    new Set(ownRoute.route.legs.map(({ pool }) => pool.family)),
  )) {
    const otherRoute = findRoute(graph, restricted)
    if (!otherRoute.ok || keys.has(keyOf(otherRoute.route))) continue
    keys.add(keyOf(otherRoute.route))
    alternativeRoutes.push({ name, route: otherRoute.route })
  }
  return alternativeRoutes
}

const keyOf = ({ legs }: RoutePlan): string =>
  legs.map(({ pool, tokenIn, num, den }) => [pool.id, tokenIn, num, den].join()).join(' ')

/**
 * Returns the additional output of the best alternative after gas, in basis points of the own route's output; 0 if no
 * alternative pays more.
 */
export function lossBps(
  ownRoute: { readonly net: number; readonly amountOut: number },
  otherNets: readonly number[],
): number {
  return (Math.max(0, ...otherNets.map((otherNet) => otherNet - ownRoute.net)) / ownRoute.amountOut) * 10_000
}
