import type { Route } from '@sluice/routing'
import { expect, test } from 'vitest'
import { LaterGas } from './later-gas.ts'

const NOW = 1_800_000_000
const span = { now: NOW, deadline: NOW + 1_200 }

const routeOf = (family: string, pool = 'pool') => {
  const leg = { pool: { id: pool, family }, tokenIn: 'in', tokenOut: 'out' }
  return { legs: [leg] } as unknown as Route
}
const pair = routeOf('uniswap-v2')

test('what was never compared is compared beyond the deadline, so that later quotes are covered', () => {
  const gas = new LaterGas()
  const at = gas.dueAt([pair], span)!
  expect(at).toBeGreaterThan(span.deadline)
  gas.observe(pair, 0, at, span)
  expect(gas.dueAt([pair], span)).toBeUndefined()
  expect(gas.dueAt([pair], { now: NOW + 60, deadline: NOW + 1_260 })).toBeUndefined()
})

test('a later deadline than was compared is due, and an earlier one afterwards forgets nothing', () => {
  const gas = new LaterGas()
  gas.observe(pair, 0, span.deadline, span)
  const day = { now: NOW, deadline: NOW + 86_400 }
  expect(gas.dueAt([pair], day)).toBeGreaterThan(day.deadline)
  gas.observe(pair, 0, day.deadline, day)
  gas.observe(pair, 0, span.deadline, span)
  expect(gas.dueAt([pair], day)).toBeUndefined()
})

test('a comparison is good for ten minutes', () => {
  const gas = new LaterGas()
  gas.observe(pair, 0, NOW + 90_000, span)
  expect(gas.dueAt([pair], { now: NOW + 600, deadline: NOW + 1_800 })).toBeUndefined()
  expect(gas.dueAt([pair], { now: NOW + 601, deadline: NOW + 1_801 })).toBeDefined()
})

test('what was seen to change, and families that state such gas, are compared at the deadline of each quote', () => {
  const gas = new LaterGas()
  gas.observe(pair, 90_000, span.deadline + 600, span)
  expect(gas.dueAt([pair], span)).toBe(span.deadline)
  const stated = new LaterGas()
  const velodrome = routeOf('velodrome-v2')
  stated.observe(velodrome, 0, span.deadline, span)
  expect(stated.dueAt([velodrome], span)).toBe(span.deadline)
})

test('of a route whose gas changes, what was steady before is not the reason', () => {
  const gas = new LaterGas()
  const [known, other] = [routeOf('uniswap-v2', 'known'), routeOf('uniswap-v2', 'other')]
  gas.observe(known, 0, NOW + 90_000, span)
  gas.observe({ ...known, legs: [...known.legs, ...other.legs] }, 90_000, NOW + 90_000, span)
  expect(gas.dueAt([known], span)).toBeUndefined()
  expect(gas.dueAt([other], span)).toBe(span.deadline)
})
