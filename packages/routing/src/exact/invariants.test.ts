/** Checks of settled routes against the limits and filters of their requests. */
import { NATIVE, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { Leg, RoutePlan, RouteRequest } from '../types.ts'
import { assertWithinRequest } from './invariants.ts'

const address = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const [A, B, C, D, WETH] = [address('1'), address('2'), address('3'), address('4'), address('5')]
type Token = typeof A

let pools = 0
const leg = (tokenIn: Token, tokenOut: Token, amountIn: bigint, amountOut = amountIn): Leg => {
  const id = `pool${++pools}`
  const pool = { id, family: 'uniswap-v2', dex: 'test', address: address('9'), tokens: [tokenIn, tokenOut], state: {} }
  return { pool, tokenIn, tokenOut, num: 1n, den: 1n, amountIn, amountOut, gas: 0 }
}
const route = (legs: readonly Leg[], change: Partial<RoutePlan> = {}) =>
  ({ tokenIn: A, tokenOut: D, amountIn: 10n, amountOut: 10n, legs, ...change }) as RoutePlan
const check =
  (route: RoutePlan, request: Partial<RouteRequest> = {}) =>
  () =>
    assertWithinRequest(route, {
      tokenIn: A,
      tokenOut: D,
      amountIn: 10n,
      wrappedNative: WETH,
      ...request,
    } as RouteRequest)

test('the longest path to a token counts toward the hop limit', () => {
  const legs = () => [leg(A, C, 4n), leg(A, B, 6n), leg(B, C, 6n), leg(C, D, 10n)]
  expect(check(route(legs()), { maxHops: 3 })).not.toThrow()
  expect(check(route(legs()), { maxHops: 2 })).toThrow('3 pools in series, of 2 allowed')
  const longFirst = () => [leg(A, B, 6n), leg(B, C, 6n), leg(A, C, 4n), leg(C, D, 10n)]
  expect(check(route(longFirst()), { maxHops: 3 })).not.toThrow()
  expect(check(route(longFirst()), { maxHops: 2 })).toThrow('3 pools in series, of 2 allowed')
})

test('each limit and filter is checked on the settled legs', () => {
  const direct = leg(A, D, 10n)
  expect(check(route([direct]))).not.toThrow()
  expect(check(route([direct]), { excludePools: new Set([direct.pool.id]) })).toThrow('is excluded')
  expect(check(route([direct]), { sources: { exclude: new Set(['test']) } })).toThrow('pool')
  expect(check(route([direct]), { driftPenalties: new Map([[direct.pool.id, 1_000_000]]) })).toThrow(
    'is excluded by its output discount',
  )
  expect(check(route([direct]), { driftPenalties: new Map([[direct.pool.id, 999_999]]) })).not.toThrow()
  const split = [leg(A, D, 4n), leg(A, D, 6n)]
  expect(check(route(split), { maxSplits: 2 })).not.toThrow()
  expect(check(route(split), { maxSplits: 1 })).toThrow('2 pools, of 1 allowed')
})

test('amounts add up: nothing is spent twice, and the output is the sum of the legs', () => {
  expect(check(route([leg(A, D, 10n)], { amountOut: 11n }))).toThrow('its legs pay 10, not 11')
  expect(check(route([leg(A, D, 10n)], { amountIn: 9n }))).toThrow('it takes 9')
  expect(check(route([leg(A, D, 6n), leg(A, D, 5n)], { amountOut: 11n }))).toThrow('sells 5')
  expect(check(route([leg(B, D, 10n)]))).toThrow('sells 10')
  expect(check(route([leg(A, B, 10n, 9n), leg(B, D, 10n)]))).toThrow('sells 10')
  expect(check(route([leg(A, D, 0n, 10n)]))).toThrow('sells 0')
})

test('intermediate tokens must be trusted, the ends need not be', () => {
  const trust = { tokens: new Set([B]), pools: new Set<string>() } as unknown as NonNullable<RouteRequest['trust']>
  expect(check(route([leg(A, C, 10n), leg(C, D, 10n)]), { trust })).toThrow(`it passes through ${C}`)
})

test('the native token and its wrapper count as one if an end is NATIVE', () => {
  const legs = [leg(WETH, D, 10n)]
  expect(check(route(legs, { tokenIn: NATIVE }), { tokenIn: NATIVE })).not.toThrow()
  expect(check(route(legs))).toThrow('sells 10')
})
