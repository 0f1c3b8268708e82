import { type Hex, toAddress } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import type { Route } from '@sluice/routing'
import type { Rpc } from '@sluice/rpc'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WalletChecks } from './wallet-checks.ts'

const at = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const [named, strange, other] = [at('1'), at('2'), at('3')]
/** EXTCODESIZE, by which contracts ask whether an account has code. */
const ASKS: Hex = '0x333b'
const DOES_NOT: Hex = '0x6001'

const pool = (id: string, family = 'uniswap-v3', state: unknown = null): Pool => ({
  ...{ id, family, dex: family, address: at('9'), tokens: [named, strange], state },
})
/** A pool that says itself whose code it depends on. */
const hooked = pool('hooked', 'prop-amm')
const legsOf = (of: Pool, tokenIn = named, tokenOut = strange) =>
  ({ legs: [{ pool: of, tokenIn, tokenOut }] }) as unknown as Pick<Route, 'legs'>

let codes: Record<string, Hex | Error>
let asked: string[]
const rpc = {
  async getCode(address: string) {
    asked.push(address)
    const code = codes[address]!
    if (code instanceof Error) throw code
    return code
  },
} as unknown as Rpc
const isDue = (checks: WalletChecks, route: Pick<Route, 'legs'>) => checks.isDue(route, rpc, 'latest')

beforeEach(() => {
  vi.useFakeTimers()
  asked = []
  codes = { [named]: ASKS, [strange]: DOES_NOT, [other]: ASKS }
})
afterEach(() => vi.useRealTimers())

test('a token in a pool is compared the first time, and again a day later', async () => {
  const checks = new WalletChecks([named])
  const route = legsOf(pool('a'))
  expect(await isDue(checks, route)).toBe(true)
  checks.observe(route, false)
  expect(await isDue(checks, route)).toBe(false)
  expect(await isDue(checks, legsOf(pool('b')))).toBe(true)
  vi.advanceTimersByTime(86_400_000)
  expect(await isDue(checks, route)).toBe(false)
  vi.advanceTimersByTime(1)
  expect(await isDue(checks, route)).toBe(true)
})

test('a token whose code asks is compared each time, unless the chain vouches for it; its code is read once', async () => {
  const checks = new WalletChecks([named])
  const route = legsOf(pool('a'), named, other)
  checks.observe(route, false)
  expect(await isDue(checks, route)).toBe(true)
  expect(await isDue(checks, route)).toBe(true)
  expect(asked).toEqual([other])
  expect(checks.counts.codes.entries).toBe(1)
  const vouching = new WalletChecks([named, other])
  vouching.observe(route, false)
  expect(await isDue(vouching, route)).toBe(false)
})

test('code that could not be read is asked for again', async () => {
  const checks = new WalletChecks([])
  codes[strange] = new Error('the node is away')
  await expect(checks.mayAsk(strange, rpc, 'latest')).rejects.toThrow('away')
  codes[strange] = DOES_NOT
  expect(await checks.mayAsk(strange, rpc, 'latest')).toBe(false)
  expect(asked).toEqual([strange, strange])
})

test('a difference is held against the tokens that nobody vouches for, and makes every route of theirs due', async () => {
  const checks = new WalletChecks([named])
  const route = legsOf(pool('a'))
  checks.observe(route, true)
  expect([checks.differs(strange), checks.differs(named)]).toEqual([true, false])
  checks.observe(legsOf(pool('b'), strange, named), false)
  expect(await isDue(checks, legsOf(pool('b'), strange, named))).toBe(true)
  expect(asked).toEqual([])
  expect(checks.counts.differing.entries).toBe(1)
})

test('between vouched tokens one of them is it all the same', () => {
  const checks = new WalletChecks([named, strange])
  checks.observe(legsOf(pool('a')), true)
  expect([checks.differs(strange), checks.differs(named)]).toEqual([true, true])
})

test('a pool with code of others is compared after ten minutes, and may be what differs', async () => {
  const checks = new WalletChecks([named, strange])
  const route = legsOf(hooked)
  const plain = legsOf(pool('a'))
  for (const each of [route, plain]) checks.observe(each, false)
  vi.advanceTimersByTime(600_001)
  expect(await isDue(checks, route)).toBe(true)
  expect(await isDue(checks, plain)).toBe(false)
  checks.observe(route, true)
  expect([checks.differs(named), checks.differs(strange)]).toEqual([false, false])
  expect(await isDue(checks, route)).toBe(true)
})
