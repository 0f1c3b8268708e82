/** Restricted requests, which a good router's route never loses to. */
import { findRoute, type Graph, type RoutePlan, type RouteRequest } from '@sluice/routing'

const GWEI = 10n ** 9n
/** Gas prices of both benchmarks, in wei. */
export const GAS_PRICES = [GWEI / 10n, GWEI, 10n * GWEI, 50n * GWEI]
/** Minimum loss that counts as lost, in basis points of the output. */
export const LOST_BPS = 0.5
/** Values of `maxHops` and `maxSplits`. */
export const HOPS = [1, 2, 3]
export const POOLS = [1, 2, 3, 5, 8, 12]

/** Yields a request's variants with one family excluded, or with fewer hops or pools. */
function* restrictions(request: RouteRequest, families: Iterable<string>): Generator<[name: string, RouteRequest]> {
  for (const family of families) yield [`without ${family}`, { ...request, sources: { exclude: new Set([family]) } }]
  for (const maxHops of HOPS) yield [`${maxHops} hops`, { ...request, maxHops }]
  for (const maxSplits of POOLS) yield [`${maxSplits} pools`, { ...request, maxSplits }]
}

export type Alternative = { readonly name: string; readonly route: RoutePlan }

/**
 * Returns the route of a request and the distinct routes of its restricted variants; null if the request has no route.
 */
export function alternatives(graph: Graph, request: RouteRequest): readonly [Alternative, ...Alternative[]] | null {
  const ownRoute = findRoute(graph, request)
  if (!ownRoute.ok) return null
  const candidates: [Alternative, ...Alternative[]] = [{ name: 'own', route: ownRoute.route }]
  const keys = new Set([keyOf(ownRoute.route)])
  for (const [name, restricted] of restrictions(request, new Set(ownRoute.route.legs.map(({ pool }) => pool.family)))) {
    const other = findRoute(graph, restricted)
    if (!other.ok || keys.has(keyOf(other.route))) continue
    keys.add(keyOf(other.route))
    candidates.push({ name, route: other.route })
  }
  return candidates
}

const keyOf = ({ legs }: RoutePlan): string =>
  legs.map(({ pool, tokenIn, num, den }) => [pool.id, tokenIn, num, den].join()).join(' ')

/** Returns the basis points of the output by which the best alternative is ahead after gas; 0 if none is. */
export function lossBps(
  ownRoute: { readonly net: number; readonly amountOut: number },
  otherTokens: readonly number[],
): number {
  return (Math.max(0, ...otherTokens.map((net) => net - ownRoute.net)) / ownRoute.amountOut) * 10_000
}
