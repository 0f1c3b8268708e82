/**
 * Checks the final legs of a route, whose amounts are exact integers, against the limits and filters of the request.
 * Relies on nothing that the search computed.
 */
import { FLOAT_PPM, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { isTrustedPool } from '@sluice/liquidity'
import { RoutingError } from '../errors.ts'
import { isNamedSource, isSampled } from '../problem/passable.ts'
import { DEFAULT_MAX_HOPS, DEFAULT_MAX_POOLS, erc20Of } from '../problem/problem.ts'
import { refusalOf } from '../sources.ts'
import type { ExactOutputRequest, RoutePlan, RouteRequest, RouteTerms } from '../types.ts'

/**
 * Checks the amounts and legs of a route against its request.
 *
 * @throws RoutingError `ROUTE_INVARIANT` with the violated condition
 */
export function assertWithinRequest(route: RoutePlan, request: RouteRequest | ExactOutputRequest): void {
  const violation = amountViolation(route, request) ?? termsViolation(route, request)
  if (violation !== null) throw new RoutingError('ROUTE_INVARIANT', `the route found breaks its request: ${violation}`)
}

function amountViolation(
  { amountIn, amountOut }: RoutePlan,
  request: RouteRequest | ExactOutputRequest,
): string | null {
  if ('amountOut' in request) return amountOut < request.amountOut ? `it pays ${amountOut}` : null
  return amountIn === request.amountIn ? null : `it takes ${amountIn}`
}

/**
 * Amount of a token after some of the legs, and the maximum number of pools in series that any part of it came through.
 */
type TokenBalance = { amount: bigint; hops: number }

function termsViolation({ legs, amountIn, amountOut }: RoutePlan, request: RouteTerms): string | null {
  const {
    maxSplits: maxPools = DEFAULT_MAX_POOLS,
    maxHops = DEFAULT_MAX_HOPS,
    excludePools,
    sources,
    trust,
    driftPenalties: outputDiscountsPpm,
  } = request
  if (legs.length > maxPools) return `${legs.length} pools, of ${maxPools} allowed`
  const balanceKeyOf = balanceKeys(request)
  const inputKey = balanceKeyOf(request.tokenIn)
  const outputKey = balanceKeyOf(request.tokenOut)
  const outputBalance: TokenBalance = { amount: 0n, hops: 0 }
  const balances = new Map<string, TokenBalance>()
  balances.set(inputKey, { amount: amountIn, hops: 0 }).set(outputKey, outputBalance)
  for (const { pool, tokenIn, tokenOut, amountIn: amountSold, amountOut: amountReceived } of legs) {
    if (excludePools?.has(pool.id)) return `pool ${pool.id} is excluded`
    // A discount of 100 % excludes a pool. Smaller discounts affect only the ranking of routes.
    if ((outputDiscountsPpm?.get(pool.id) ?? 0) >= FLOAT_PPM)
      return `pool ${pool.id} is excluded by its output discount`
    const refusal = sources ? refusalOf(pool, sources) : null
    if (refusal !== null) return `pool ${pool.id} is ${refusal}`
    const soldKey = balanceKeyOf(tokenIn)
    const boughtKey = balanceKeyOf(tokenOut)
    if (boughtKey !== outputKey && trust && !trust.tokens.has(tokenOut)) return `it passes through ${tokenOut}`
    // An untrusted pool may trade the input or output token in two cases: the request names its source, or the pool is
    // quoted from simulated swaps and the request accepts such pools.
    const isOptedIn = isNamedSource(pool, sources) || (request.withSampled === true && isSampled(pool))
    const isExemptFromTrust = (soldKey === inputKey || boughtKey === outputKey) && isOptedIn
    if (trust && !isExemptFromTrust && !isTrustedPool(pool, trust)) return `pool ${pool.id} is not trusted`
    const soldBalance = balances.get(soldKey)
    if (amountSold <= 0n || !soldBalance || soldBalance.amount < amountSold)
      return `the leg of pool ${pool.id} sells ${amountSold}, zero or more than the balance`
    soldBalance.amount -= amountSold
    const hops = soldBalance.hops + 1
    const boughtBalance = balances.get(boughtKey)
    if (boughtBalance) {
      boughtBalance.amount += amountReceived
      if (hops > boughtBalance.hops) boughtBalance.hops = hops
    } else balances.set(boughtKey, { amount: amountReceived, hops })
    if (hops > maxHops) return `${hops} pools in series, of ${maxHops} allowed`
  }
  if (legs.length > 0 && outputBalance.amount !== amountOut)
    return `its legs pay ${outputBalance.amount}, not ${amountOut}`
  return null
}

/**
 * Returns a function that maps a token to the key of its balance. If the input or output is NATIVE, the native token
 * and its wrapper share a balance. Requests name the native token NATIVE, and pools name it by the zero address.
 */
function balanceKeys({ tokenIn, tokenOut, wrappedNative }: RouteTerms): (token: RouteTerms['tokenIn']) => string {
  const isJoined = tokenIn === NATIVE || tokenOut === NATIVE
  if (!isJoined) return (token) => token
  return (token) => (token === ZERO_ADDRESS ? wrappedNative : erc20Of(token, wrappedNative)) ?? token
}
