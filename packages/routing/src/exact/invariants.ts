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

/** An amount of a token, and the most pools in series that it came through. */
type Held = { amount: bigint; hops: number }

function brokenBy({ legs, amountIn, amountOut }: Route, request: RouteTerms): string | null {
  const { maxSplits = DEFAULT_MAX_POOLS, maxHops = DEFAULT_MAX_HOPS, excludePools, sources, trust, haircuts } = request
  if (legs.length > maxSplits) return `${legs.length} pools, of ${maxSplits} allowed`
  const asHeld = forms(request)
  const source = asHeld(request.tokenIn)
  const target = asHeld(request.tokenOut)
  const bought: Held = { amount: 0n, hops: 0 }
  const held = new Map<string, Held>()
  held.set(source, { amount: amountIn, hops: 0 }).set(target, bought)
  for (const { pool, tokenIn, tokenOut, amountIn: given, amountOut: paid } of legs) {
    if (excludePools?.has(pool.id)) return `pool ${pool.id} is excluded`
    if ((haircuts?.get(pool.id) ?? 0) >= FLOAT_PPM) return `pool ${pool.id} is not believed at all`
    const refusal = sources ? refusalOf(pool, sources) : null
    if (refusal !== null) return `pool ${pool.id} is ${refusal}`
    const from = asHeld(tokenIn)
    const to = asHeld(tokenOut)
    if (to !== target && trust && !trust.tokens.has(tokenOut)) return `it passes through ${tokenOut}`
    const chosen = (from === source || to === target) && isChosen(pool, sources)
    if (trust && !chosen && !isTrustedPool(pool, trust)) return `nobody vouches for pool ${pool.id}`
    const before = held.get(from)
    if (given <= 0n || !before || before.amount < given) return `pool ${pool.id} is given ${given} of what is not there`
    before.amount -= given
    const hops = before.hops + 1
    const after = held.get(to)
    if (after) {
      after.amount += paid
      if (hops > after.hops) after.hops = hops
    } else held.set(to, { amount: paid, hops })
    if (hops > maxHops) return `${hops} pools in series, of ${maxHops} allowed`
  }
  if (legs.length > 0 && bought.amount !== amountOut) return `its legs pay ${bought.amount}, not ${amountOut}`
  return null
}

/** Tokens as a route holds them: where NATIVE is an end, the native token and its wrapper are held as one. */
function forms({ tokenIn, tokenOut, wrappedNative }: RouteTerms): (token: RouteTerms['tokenIn']) => string {
  const joined = tokenIn === NATIVE || tokenOut === NATIVE
  if (!joined) return (token) => token
  return (token) => (token === ZERO_ADDRESS ? wrappedNative : erc20Of(token, wrappedNative)) ?? token
}
