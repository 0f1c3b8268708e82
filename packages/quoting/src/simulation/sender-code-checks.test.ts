import { type Hex, toAddress } from '@sluice/chains'
import type { Pool, Trust } from '@sluice/liquidity'
import type { RoutePlan } from '@sluice/routing'
import type { Rpc } from '@sluice/rpc'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SenderCodeChecks } from './sender-code-checks.ts'

const testAddress = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const [listed, unlisted, other] = [testAddress('1'), testAddress('2'), testAddress('3')]
/** EXTCODESIZE, with which contracts check accounts for code. */
const CHECKS_CODE: Hex = '0x333b'
const NO_CHECK: Hex = '0x6001'

const pool = (id: string, family = 'uniswap-v3', state: unknown = null): Pool => ({
  ...{ id, family, dex: family, address: testAddress('9'), tokens: [listed, unlisted], state },
})
/** A pool with third-party code. */
const hooked = pool('hooked', 'prop-amm')
const legsOf = (pool: Pool, tokenIn = listed, tokenOut = unlisted) =>
  ({ legs: [{ pool, tokenIn, tokenOut }] }) as unknown as Pick<RoutePlan, 'legs'>

let codes: Record<string, Hex | Error>
let reads: string[]
const rpc = {
  async getCode(address: string) {
    reads.push(address)
    const code = codes[address]!
    if (code instanceof Error) throw code
    return code
  },
} as unknown as Rpc
const due = (checks: SenderCodeChecks, route: Pick<RoutePlan, 'legs'>) => checks.bareRunModeOf(route, rpc, 'latest')

beforeEach(() => {
  vi.useFakeTimers()
  reads = []
  codes = { [listed]: CHECKS_CODE, [unlisted]: NO_CHECK, [other]: CHECKS_CODE }
})
afterEach(() => vi.useRealTimers())

test('a token in a pool is compared at its first use, and again a day later', async () => {
  const checks = new SenderCodeChecks([listed])
  const route = legsOf(pool('a'))
  expect(await due(checks, route)).toBe('measured')
  checks.observe(route, false)
  expect(await due(checks, route)).toBeUndefined()
  expect(await due(checks, legsOf(pool('b')))).toBe('measured')
  vi.advanceTimersByTime(86_400_000)
  expect(await due(checks, route)).toBeUndefined()
  vi.advanceTimersByTime(1)
  expect(await due(checks, route)).toBe('measured')
})

test('a token outside the list whose code may check is compared every time, and its code is read once', async () => {
  const checks = new SenderCodeChecks([listed])
  const route = legsOf(pool('a'), listed, other)
  checks.observe(route, false)
  expect(await due(checks, route)).toBe('charged')
  expect(await due(checks, route)).toBe('charged')
  expect(reads).toEqual([other])
  expect(checks.counts.codes.entries).toBe(1)
  const bothListed = new SenderCodeChecks([listed, other])
  bothListed.observe(route, false)
  expect(await due(bothListed, route)).toBeUndefined()
})

test('a token that has earned trust is compared once a day, and every time after its trust ends', async () => {
  let trust = { tokens: new Set([other]), accounts: new Set(), pools: new Set() } as unknown as Trust
  const checks = new SenderCodeChecks([listed], () => trust)
  const route = legsOf(pool('a'), listed, other)
  expect(await due(checks, route)).toBe('measured')
  checks.observe(route, false)
  expect(await due(checks, route)).toBeUndefined()
  trust = { ...trust, tokens: new Set() }
  expect(await due(checks, route)).toBe('charged')
})

test('a failed read of code is repeated', async () => {
  const checks = new SenderCodeChecks([])
  codes[unlisted] = new Error('the node is away')
  await expect(checks.mayCheckCode(unlisted, rpc, 'latest')).rejects.toThrow('away')
  codes[unlisted] = NO_CHECK
  expect(await checks.mayCheckCode(unlisted, rpc, 'latest')).toBe(false)
  expect(reads).toEqual([unlisted, unlisted])
})

test('a difference is attributed to tokens outside the list, and makes all their routes due', async () => {
  const checks = new SenderCodeChecks([listed])
  const route = legsOf(pool('a'))
  checks.observe(route, true)
  expect([checks.dependsOnSenderCode(unlisted), checks.dependsOnSenderCode(listed)]).toEqual([true, false])
  checks.observe(legsOf(pool('b'), unlisted, listed), false)
  expect(await due(checks, legsOf(pool('b'), unlisted, listed))).toBe('measured')
  expect(reads).toEqual([])
  expect(checks.counts.differing.entries).toBe(1)
})

test('a difference between listed tokens is attributed to both', () => {
  const checks = new SenderCodeChecks([listed, unlisted])
  checks.observe(legsOf(pool('a')), true)
  expect([checks.dependsOnSenderCode(unlisted), checks.dependsOnSenderCode(listed)]).toEqual([true, true])
})

test('a pool with third-party code is compared again after ten minutes, and can be the cause of a difference', async () => {
  const checks = new SenderCodeChecks([listed, unlisted])
  const route = legsOf(hooked)
  const plain = legsOf(pool('a'))
  for (const observedRoute of [route, plain]) checks.observe(observedRoute, false)
  vi.advanceTimersByTime(600_001)
  expect(await due(checks, route)).toBe('measured')
  expect(await due(checks, plain)).toBeUndefined()
  checks.observe(route, true)
  expect([checks.dependsOnSenderCode(listed), checks.dependsOnSenderCode(unlisted)]).toEqual([false, false])
  expect(await due(checks, route)).toBe('measured')
})

test('a token that has earned trust is not the cause of a difference next to an untrusted token or pool', () => {
  const trust = { tokens: new Set([listed, unlisted]), accounts: new Set(), pools: new Set() } as unknown as Trust
  const differingBy = (route: Pick<RoutePlan, 'legs'>) => {
    const checks = new SenderCodeChecks([listed], () => trust)
    checks.observe(route, true)
    return [listed, unlisted, other].filter((token) => checks.dependsOnSenderCode(token))
  }
  expect(differingBy(legsOf(pool('a')))).toEqual([unlisted])
  expect(differingBy(legsOf(pool('a'), unlisted, other))).toEqual([other])
  expect(differingBy(legsOf(hooked))).toEqual([])
  expect(differingBy(legsOf(pool('a'), listed, listed))).toEqual([listed])
})

test('a node without the code of a new token yet is asked again', async () => {
  const checks = new SenderCodeChecks([])
  const mayCheck = () => checks.mayCheckCode(other, rpc, 'latest')
  codes[other] = '0x'
  expect([await mayCheck(), checks.counts.codes.entries]).toEqual([false, 0])
  codes[other] = CHECKS_CODE
  expect([await mayCheck(), await mayCheck(), reads.length]).toEqual([true, true, 2])
})
