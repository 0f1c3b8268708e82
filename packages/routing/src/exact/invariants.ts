/** Checks settled legs against the limits and filters of their request, independently of the search. */
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

/** Balance of a token during the route, and the maximum number of pools in series that a part of it has passed. */
type TokenBalance = { amount: bigint; hops: number }

function termsViolation({ legs, amountIn, amountOut }: RoutePlan, request: RouteTerms): string | null {
  const {
    maxSplits = DEFAULT_MAX_POOLS,
    maxHops = DEFAULT_MAX_HOPS,
    excludePools,
    sources,
    trust,
    driftPenalties,
  } = request
  if (legs.length > maxSplits) return `${legs.length} pools, of ${maxSplits} allowed`
  const balanceKeyOf = balanceKeys(request)
  const source = balanceKeyOf(request.tokenIn)
  const target = balanceKeyOf(request.tokenOut)
  const targetBalance: TokenBalance = { amount: 0n, hops: 0 }
  const balances = new Map<string, TokenBalance>()
  balances.set(source, { amount: amountIn, hops: 0 }).set(target, targetBalance)
  for (const { pool, tokenIn, tokenOut, amountIn: amountSold, amountOut: amountReceived } of legs) {
    if (excludePools?.has(pool.id)) return `pool ${pool.id} is excluded`
    if ((driftPenalties?.get(pool.id) ?? 0) >= FLOAT_PPM) return `pool ${pool.id} is excluded by its output discount`
    const refusal = sources ? refusalOf(pool, sources) : null
    if (refusal !== null) return `pool ${pool.id} is ${refusal}`
    const from = balanceKeyOf(tokenIn)
    const to = balanceKeyOf(tokenOut)
    if (to !== target && trust && !trust.tokens.has(tokenOut)) return `it passes through ${tokenOut}`
    const isAdmitted = isNamedSource(pool, sources) || (request.withSampled === true && isSampled(pool))
    const isChosenAtEnd = (from === source || to === target) && isAdmitted
    if (trust && !isChosenAtEnd && !isTrustedPool(pool, trust)) return `pool ${pool.id} is not trusted`
    const soldBalance = balances.get(from)
    if (amountSold <= 0n || !soldBalance || soldBalance.amount < amountSold)
      return `the leg of pool ${pool.id} sells ${amountSold}, zero or more than the balance`
    soldBalance.amount -= amountSold
    const hops = soldBalance.hops + 1
    const boughtBalance = balances.get(to)
    if (boughtBalance) {
      boughtBalance.amount += amountReceived
      if (hops > boughtBalance.hops) boughtBalance.hops = hops
    } else balances.set(to, { amount: amountReceived, hops })
    if (hops > maxHops) return `${hops} pools in series, of ${maxHops} allowed`
  }
  if (legs.length > 0 && targetBalance.amount !== amountOut)
    return `its legs pay ${targetBalance.amount}, not ${amountOut}`
  return null
}

/**
 * Returns a function that maps a token to the key of its balance. If an end is NATIVE, the native token and its wrapper
 * share a balance.
 */
function balanceKeys({ tokenIn, tokenOut, wrappedNative }: RouteTerms): (token: RouteTerms['tokenIn']) => string {
  const isJoined = tokenIn === NATIVE || tokenOut === NATIVE
  if (!isJoined) return (token) => token
  return (token) => (token === ZERO_ADDRESS ? wrappedNative : erc20Of(token, wrappedNative)) ?? token
}
