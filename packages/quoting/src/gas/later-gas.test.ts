import type { Trust } from '@sluice/liquidity'
import type { RoutePlan } from '@sluice/routing'
import { expect, test } from 'vitest'
import { LaterGas } from './later-gas.ts'

const NOW = 1_800_000_000
const span = { now: NOW, deadline: NOW + 1_200 }

const routeOf = (family: string, pool = 'pool') => {
  const leg = { pool: { id: pool, family }, tokenIn: 'in', tokenOut: 'out' }
  return { legs: [leg] } as unknown as RoutePlan
}
const pair = routeOf('uniswap-v2')

test('a pool without a comparison is compared beyond the deadline, so that later quotes are covered', () => {
  const gas = new LaterGas()
  const at = gas.simulationTimeOf([pair], span)!
  expect(at).toBeGreaterThan(span.deadline)
  gas.observe(pair, 0, at, span)
  expect(gas.simulationTimeOf([pair], span)).toBeUndefined()
  expect(gas.simulationTimeOf([pair], { now: NOW + 60, deadline: NOW + 1_260 })).toBeUndefined()
})

test('a longer deadline than compared is due, and a shorter comparison does not replace a longer one', () => {
  const gas = new LaterGas()
  gas.observe(pair, 0, span.deadline, span)
  const day = { now: NOW, deadline: NOW + 86_400 }
  expect(gas.simulationTimeOf([pair], day)).toBeGreaterThan(day.deadline)
  gas.observe(pair, 0, day.deadline, day)
  gas.observe(pair, 0, span.deadline, span)
  expect(gas.simulationTimeOf([pair], day)).toBeUndefined()
})

test('a comparison is valid for ten minutes', () => {
  const gas = new LaterGas()
  gas.observe(pair, 0, NOW + 90_000, span)
  expect(gas.simulationTimeOf([pair], { now: NOW + 600, deadline: NOW + 1_800 })).toBeUndefined()
  expect(gas.simulationTimeOf([pair], { now: NOW + 601, deadline: NOW + 1_801 })).toBeDefined()
})

test('pools whose gas changed, and families that declare later gas, are compared at each deadline', () => {
  const gas = new LaterGas()
  gas.observe(pair, 90_000, span.deadline + 600, span)
  expect(gas.simulationTimeOf([pair], span)).toBe(span.deadline)
  const stated = new LaterGas()
  const velodrome = routeOf('velodrome-v2')
  stated.observe(velodrome, 0, span.deadline, span)
  expect(stated.simulationTimeOf([velodrome], span)).toBe(span.deadline)
})

test('parts that were steady before are not the cause of a change', () => {
  const gas = new LaterGas()
  const [steady, other] = [routeOf('uniswap-v2', 'known'), routeOf('uniswap-v2', 'other')]
  gas.observe(steady, 0, NOW + 90_000, span)
  gas.observe({ ...steady, legs: [...steady.legs, ...other.legs] }, 90_000, NOW + 90_000, span)
  expect(gas.simulationTimeOf([steady], span)).toBeUndefined()
  expect(gas.simulationTimeOf([other], span)).toBe(span.deadline)
})

test('a change next to an untrusted token or pool is not attributed to trusted ones', () => {
  const trust = { tokens: new Set(['in', 'out']), accounts: new Set(), pools: new Set() } as unknown as Trust
  const trustedAnswer = (gas: LaterGas) => gas.simulationTimeOf([pair], span)
  const hopOf = (leg: object) => ({ legs: [...pair.legs, { ...pair.legs[0]!, ...leg }] }) as unknown as RoutePlan
  const byToken = hopOf({ tokenOut: 'hostile', pool: { id: 'new', family: 'uniswap-v2' } })
  const byPool = hopOf({ pool: { id: 'hostile', family: 'caller-fee-v3' } })
  for (const route of [byToken, byPool]) {
    const gas = new LaterGas(() => trust)
    for (let repeats = 0; repeats < 2; repeats++) gas.observe(route, 90_000, span.deadline + 600, span)
    expect(gas.simulationTimeOf([route], span)).toBe(span.deadline)
    // Not compared yet.
    expect(trustedAnswer(gas)).toBeGreaterThan(span.deadline)
    const all = new LaterGas()
    all.observe(route, 90_000, span.deadline + 600, span)
    expect(trustedAnswer(all)).toBe(span.deadline)
  }
  const gas = new LaterGas(() => trust)
  gas.observe(pair, 90_000, span.deadline + 600, span)
  expect(trustedAnswer(gas)).toBe(span.deadline)
})
