/** Tests that results and requests arrive at a thread and from it as they were. */
import { toAddress } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { RoutingError } from '../errors.ts'
import type { RouteRequest, RouteResult } from '../types.ts'
import { fromPlain, sharedTerms, toPlain, withoutSharedTerms } from './messages.ts'

const pools = new Map(
  ['1', '2'].map((digit): readonly [string, Pool] => {
    const address = toAddress(`0x${digit.repeat(40)}`)
    return [`pool ${digit}`, { id: `pool ${digit}`, family: 'uniswap-v2', dex: 'test', address, tokens: [], state: {} }]
  }),
)
const [first, second] = [...pools.values()]
const routeOver = (...legs: readonly (Pool | undefined)[]) => ({
  ...{ amountIn: 5n, amountOut: 7n, gas: 9 },
  legs: legs.map((pool, k) => ({ pool, amountIn: BigInt(k), gas: k })),
})
const resultOf = (more: object) => ({ ok: true, route: routeOver(first, second), ...more }) as unknown as RouteResult
const proof = { bound: 11n, pools: [{ pool: second, pairs: [], earned: 3n, isCut: false }] }

test.each([
  ['alone', {}],
  ['with other routes', { alternatives: [routeOver(second), routeOver(first)] }],
  ['with a proof', { proof }],
  ['without the proof that was requested', { proof: null }],
  ['with all of it', { alternatives: [routeOver(second)], proof }],
])('a route %s comes back with the pools themselves, after only their ids were sent', (_, more) => {
  const result = resultOf(more)
  const plain = toPlain(result)
  expect(JSON.stringify(plain, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain(
    first!.address,
  )
  const back = fromPlain({ result: structuredClone(plain) }, pools)
  expect(back).toStrictEqual(result)
  expect(back.ok && back.route.legs[0]!.pool).toBe(first)
})

test('a refusal comes back as it is', () => {
  const refusal = { ok: false, code: 'NO_ROUTE', message: 'none', reasons: [] } as unknown as RouteResult
  expect(fromPlain({ result: toPlain(refusal) }, pools)).toEqual(refusal)
})

test('an error keeps its code, or is thrown itself if it has none', () => {
  const error = new Error('too long')
  expect(() => fromPlain({ error }, pools)).toThrow(error)
  const coded = () => fromPlain({ error, code: 'SEARCH_OVERRAN' }, pools)
  expect(coded).toThrow(RoutingError)
  expect(coded).toThrow(expect.objectContaining({ code: 'SEARCH_OVERRAN', message: 'too long', cause: error }))
})

test('shared terms are split off by name, and the level of trust is part of the name', () => {
  const terms = {
    trust: { level: 'earned', tokens: new Set() },
    taxes: new Map(),
    driftPenalties: new Map(),
    learnedGas: new Map(),
  } as unknown as Pick<RouteRequest, 'trust' | 'taxes' | 'driftPenalties' | 'learnedGas'>
  const own = { amountIn: 5n, maxHops: 3 } as unknown as RouteRequest
  const shared = sharedTerms({ ...own, ...terms })
  expect([...shared.keys()]).toEqual(['trust earned', 'taxes', 'driftPenalties', 'learned gas'])
  expect(Object.assign({}, ...shared.values())).toEqual(terms)
  expect(withoutSharedTerms({ ...own, ...terms })).toEqual(own)
  expect(sharedTerms(own).size).toBe(0)
})
