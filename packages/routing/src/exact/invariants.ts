/** The limits and filters of a request, looked at once more on the settled legs, apart from all that found them. */
import { FLOAT_PPM, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { isTrustedPool } from '@sluice/liquidity'
import { RoutingError } from '../errors.ts'
import { isChosen } from '../problem/passable.ts'
import { DEFAULT_MAX_HOPS, DEFAULT_MAX_POOLS, erc20Of } from '../problem/problem.ts'
import { refusalOf } from '../sources.ts'
import type { ExactOutputRequest, Route, RouteRequest, RouteTerms } from '../types.ts'

/** @throws RoutingError `ROUTE_INVARIANT` naming what is broken */
export function assertKept(route: Route, request: RouteRequest | ExactOutputRequest): void {
  const broken = amountBroken(route, request) ?? brokenBy(route, request)
  if (broken !== null) throw new RoutingError('ROUTE_INVARIANT', `the route found breaks its request: ${broken}`)
}

function amountBroken({ amountIn, amountOut }: Route, request: RouteRequest | ExactOutputRequest): string | null {
  if ('amountOut' in request) return amountOut < request.amountOut ? `it pays ${amountOut}` : null
  return amountIn === request.amountIn ? null : `it takes ${amountIn}`
}

function brokenBy({ legs, amountIn, amountOut }: Route, request: RouteTerms): string | null {
  const { maxSplits = DEFAULT_MAX_POOLS, maxHops = DEFAULT_MAX_HOPS, excludePools, sources, trust, haircuts } = request
  if (legs.length > maxSplits) return `${legs.length} pools, of ${maxSplits} allowed`
  const asHeld = forms(request)
  const source = asHeld(request.tokenIn)
  const target = asHeld(request.tokenOut)
  const held = new Map([[source, amountIn]])
  const depth = new Map([[source, 0]])
  for (const { pool, tokenIn, tokenOut, amountIn: sold, amountOut: bought } of legs) {
    if (excludePools?.has(pool.id)) return `pool ${pool.id} is excluded`
    if ((haircuts?.get(pool.id) ?? 0) >= FLOAT_PPM) return `pool ${pool.id} is not believed at all`
    const refusal = sources ? refusalOf(pool, sources) : null
    if (refusal !== null) return `pool ${pool.id} is ${refusal}`
    const [from, to] = [asHeld(tokenIn), asHeld(tokenOut)]
    if (to !== target && trust && !trust.tokens.has(tokenOut)) return `it passes through ${tokenOut}`
    const chosen = (from === source || to === target) && isChosen(pool, sources)
    if (trust && !chosen && !isTrustedPool(pool, trust)) return `nobody vouches for pool ${pool.id}`
    const left = (held.get(from) ?? 0n) - sold
    if (sold <= 0n || left < 0n) return `pool ${pool.id} is given ${sold} of what is not there`
    held.set(from, left)
    held.set(to, (held.get(to) ?? 0n) + bought)
    const hops = (depth.get(from) ?? 0) + 1
    depth.set(to, Math.max(hops, depth.get(to) ?? 0))
    if (hops > maxHops) return `${hops} pools in series, of ${maxHops} allowed`
  }
  if (legs.length > 0 && held.get(target) !== amountOut) return `its legs pay ${held.get(target)}, not ${amountOut}`
  return null
}

/** Tokens as a route holds them: where NATIVE is an end, the native token and its wrapper are held as one. */
function forms({ tokenIn, tokenOut, wrappedNative }: RouteTerms): (token: RouteTerms['tokenIn']) => string {
  const joined = tokenIn === NATIVE || tokenOut === NATIVE
  return (token) => (joined && token === ZERO_ADDRESS ? wrappedNative : erc20Of(token, wrappedNative)) ?? token
}
