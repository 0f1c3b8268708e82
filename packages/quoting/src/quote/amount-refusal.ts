/**
 * Checks whether a search failed because of the amount of the request: looks for another amount that has a route.
 * Called by `errorOfFailedSearch`.
 */
import type { ExactOutputRequest, RouteRequest, RouteResult } from '@sluice/routing'

type SearchRequest = RouteRequest | ExactOutputRequest
type RunSearch = (request: SearchRequest) => Promise<RouteResult>

/** Factor between two tried amounts. Six steps lead from one base unit to many whole tokens for any token decimals. */
const STEP_FACTOR = 1_000_000n
/** Maximum steps in each direction. */
const MAX_STEPS = 6
/** Maximum searches that narrow down a maximum amount. The result is at most 20 % too small: (10^6)^(1/64) = 1.24. */
const MAX_NARROWING = 6
/**
 * Maximum searches that narrow down a minimum amount. After half as many, the result could be 24 % above the minimum.
 * Both amounts buy one base unit, so a swap of the result would lose this excess. That is more than the default limit
 * of the price impact.
 */
const MAX_MIN_NARROWING = 12
/** The bisection of a minimum ends when its interval is smaller than 1/64 of the upper end, which has a route. */
const PRECISION_DIVISOR = 64n
/** Upper limit of amounts: no token has as many base units. */
const AMOUNT_LIMIT = 1n << 128n

export type AmountRefusal =
  /** `min` is approximately the smallest input with a route, in base units. */
  | { readonly kind: 'too small'; readonly min: bigint }
  /** `max` is approximately the largest amount with a route, in base units: an input or an output, like the request's. */
  | { readonly kind: 'too large'; readonly max: bigint }

/** Returns how the amount must change for a route to exist; undefined if no tried amount has a route. */
export async function findAmountRefusal(
  searchRequest: SearchRequest,
  search: RunSearch,
): Promise<AmountRefusal | undefined> {
  const isExactInput = 'amountIn' in searchRequest
  const amount = isExactInput ? searchRequest.amountIn : searchRequest.amountOut
  const hasRoute = async (size: bigint) => {
    const { maxAlternatives: _, ...terms } = searchRequest as RouteRequest
    const result = await search(
      isExactInput ? { ...terms, amountIn: size } : ({ ...terms, amountOut: size } as SearchRequest),
    )
    return result.ok
  }
  // The last amounts tried in each direction, which have no route. Only the step after them must be narrowed down.
  let [lastLarger, lastSmaller] = [amount, amount]
  for (let k = 1; k <= MAX_STEPS; k++) {
    const [largerAmount, smallerAmount] = [lastLarger * STEP_FACTOR, lastSmaller / STEP_FACTOR]
    if (isExactInput && largerAmount < AMOUNT_LIMIT && (await hasRoute(largerAmount)))
      return { kind: 'too small', min: await bisect(lastLarger, largerAmount, MAX_MIN_NARROWING, hasRoute) }
    if (smallerAmount > 0n && (await hasRoute(smallerAmount)))
      return { kind: 'too large', max: await bisect(lastSmaller, smallerAmount, MAX_NARROWING, hasRoute) }
    ;[lastLarger, lastSmaller] = [largerAmount, smallerAmount]
  }
  return undefined
}

/**
 * Narrows the interval between an amount without a route and an amount with a route, at its geometric mean.
 *
 * @returns an amount with a route
 */
async function bisect(
  amountWithoutRoute: bigint,
  amountWithRoute: bigint,
  maxSearches: number,
  hasRoute: (size: bigint) => Promise<boolean>,
): Promise<bigint> {
  let [withoutRoute, withRoute] = [amountWithoutRoute, amountWithRoute]
  for (let k = 0; k < maxSearches; k++) {
    if (withoutRoute < withRoute && (withRoute - withoutRoute) * PRECISION_DIVISOR < withRoute) break
    const middle = BigInt(Math.round(Math.sqrt(Number(withoutRoute)) * Math.sqrt(Number(withRoute))))
    if (middle === withoutRoute || middle === withRoute) break
    if (await hasRoute(middle)) withRoute = middle
    else withoutRoute = middle
  }
  return withRoute
}
