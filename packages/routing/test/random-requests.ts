/** Random requests with all of their parameters, and independent checks of the answers. */
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, type Pool, WRAPPER_FAMILY } from '@sluice/liquidity'
import { expect } from 'vitest'
import type { RoutePlan, RouteRequest } from '../src/types.ts'

type Random = () => number
type Market = { readonly pools: readonly Pool[]; readonly tokens: readonly RouteRequest['tokenIn'][] }

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!
const some = <T>(random: Random, max: number, from: readonly T[]): ReadonlySet<T> =>
  new Set(Array.from({ length: 1 + Math.floor(random() * max) }, () => pick(random, from)))

/** @param wrappedNative - one of the tokens; if it is not null, NATIVE can be an end */
export function drawRequest(random: Random, { pools, tokens }: Market, wrappedNative: RouteRequest['wrappedNative']) {
  const ends = wrappedNative === null ? tokens : [...tokens, NATIVE]
  const tokenIn = pick(random, ends)
  const tokenOut = pick(
    random,
    ends.filter((token) => token !== tokenIn),
  )
  const names = [...new Set(pools.flatMap(({ family, dex }) => [family, dex.toLowerCase()]))]
  const ids = pools.map(({ id }) => id)
  const digits = Math.floor(random() * 27)
  const tax = () => (random() < 0.5 ? 0 : Math.floor(random() * 100_000))
  const usual = { buyPpm: tax(), sellPpm: tax(), transferPpm: 0 }
  return {
    tokenIn,
    tokenOut,
    amountIn: BigInt(1 + Math.floor(random() * 999)) * 10n ** BigInt(digits),
    wrappedNative,
    gasPriceWei: random() < 0.3 ? 0n : BigInt(Math.floor(10 ** (random() * 12))),
    ...(random() < 0.7 && { maxSplits: 1 + Math.floor(random() * (random() < 0.6 ? 5 : 30)) }),
    ...(random() < 0.5 && { maxHops: 1 + Math.floor(random() * 4) }),
    ...(random() < 0.3 && { excludePools: some(random, 5, ids) }),
    ...(random() < 0.6 && {
      sources: {
        ...(random() < 0.5 && { include: some(random, 4, names) }),
        ...(random() < 0.5 && { exclude: some(random, 3, names) }),
      },
    }),
    ...(random() < 0.2 && { l1FeePerByteWei: Math.floor(10 ** (random() * 10)) }),
    ...(random() < 0.2 && { taxes: new Map([[pick(random, tokens), { usual, inPool: new Map() }]]) }),
  } satisfies RouteRequest
}

/** Checks a route by other means than the package's own checks. */
export function expectValid({ legs, amountOut }: RoutePlan, request: RouteRequest): void {
  const { maxSplits = 24, maxHops = 4, excludePools, sources, wrappedNative } = request
  expect(legs.length).toBeLessThanOrEqual(maxSplits)
  const ends = [request.tokenIn, request.tokenOut]
  const node = (token: string) =>
    token === NATIVE || (ends.includes(NATIVE) && token === ZERO_ADDRESS) ? wrappedNative! : token
  expect(longest(legs.map(({ tokenIn, tokenOut }) => [node(tokenIn), node(tokenOut)]))).toBeLessThanOrEqual(maxHops)
  const now = new Map<string, Pool>()
  for (const { pool, tokenIn, tokenOut, amountIn, amountOut: claimed } of legs) {
    const named = (names?: ReadonlySet<string>) => names?.has(pool.family) || names?.has(pool.dex.toLowerCase())
    expect(excludePools?.has(pool.id) ?? false, 'excluded pool').toBe(false)
    expect(named(sources?.exclude) ?? false, 'excluded source').toBe(false)
    if (sources?.include && pool.family !== WRAPPER_FAMILY) expect(named(sources.include), 'included').toBe(true)
    if (request.taxes) continue
    const state = now.get(pool.id) ?? pool
    const quote = familyOf(pool.family)!.quoteExactInput(state, tokenIn, tokenOut, amountIn)
    expect(quote.amountOut).toBe(claimed)
    now.set(pool.id, { ...state, state: quote.state })
  }
  expect(amountOut).toBeGreaterThan(0n)
}

/** Length of the longest path from any token, by following every path. */
function longest(edges: readonly (readonly [string, string])[], from?: string): number {
  const next = edges.filter(([start]) => from === undefined || start === from)
  const after = new Map(next.map(([, end]) => [end, 0]))
  for (const end of after.keys()) after.set(end, 1 + longest(edges, end))
  return Math.max(0, ...after.values())
}

/** Output less gas cost, in output base units. */
export const netOf = ({ amountOut, gasCostOut }: RoutePlan): number => Number(amountOut) - Number(gasCostOut ?? 0n)
