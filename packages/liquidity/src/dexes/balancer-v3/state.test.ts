/** Tests that pools with contradictory lists are not read. Anyone can register a contract as a pool. */
import { BalancerV3Lens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { id } from 'ethers'
import { expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import { balancerV3 } from './index.ts'
import { computeScaledOut } from './math.ts'
import { readStates } from './state.ts'
import type { PooledState } from './types.ts'

const addressOf = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [vault, address, tokens] = [addressOf('a'), addressOf('b'), ['c', 'd', 'e'].map(addressOf)]
const row: DexRow = { family: 'balancer-v3', brand: 'test', role: 'vault', address: vault }
const ONE = 10n ** 18n
const BALANCE = 100n * ONE
const KINDS = { weighted: 0n, 'gyro-2clp': 2n, reclamm: 4n } as const

const listOf = (length: number, value: bigint): bigint[] => Array.from({ length }, () => value)
const common = (count: number) => ({
  ...{ balances: listOf(count, BALANCE), scaling: listOf(count, 1n), rates: listOf(count, ONE) },
  ...{ swapFee: 0n, aggregateFee: 0n },
})
const clock = {
  ...{ balancesLiveScaled18: [], tokenRates: [], staticSwapFeePercentage: 0n, totalSupply: 0n, lastTimestamp: 5n },
  ...{ lastVirtualBalances: [ONE, ONE], dailyPriceShiftExponent: 0n, dailyPriceShiftBase: ONE, centerednessMargin: 0n },
  ...{ currentPriceRatio: 0n, currentFourthRootPriceRatio: 0n, startFourthRootPriceRatio: ONE },
  ...{ endFourthRootPriceRatio: ONE, priceRatioUpdateStartTime: 0n, priceRatioUpdateEndTime: 0n },
  ...{ isPoolInitialized: true, isPoolPaused: false, isPoolInRecoveryMode: false },
}

/** Reads a pool of so many tokens. Fields that are not given are zero, or empty. */
function stateOf(count: number, kind: keyof typeof KINDS, fields: object): unknown {
  const pool: Pool<null> = {
    ...{ id: address, family: 'balancer-v3', dex: 'test', address, tokens: tokens.slice(0, count) },
    ...{ fixed: { vault, dependsOn: [address] }, state: null },
  }
  const result = {
    ...{
      ...common(count),
      kind: KINDS[kind],
      closed: false,
      hooked: false,
      weights: [],
      amp: 0n,
      surges: false,
      ramping: false,
    },
    ...{ surge: [0n, 0n], slopes: [0n, 0n], gyro: [0n, 0n], eclp: listOf(5, 0n), derived: listOf(9, 0n) },
    ...{ reclamm: clock, virtualNow: [ONE, ONE], timestamp: 6n, samples: [ONE, ONE], quotes: [0n, 0n], probe: 0n },
    ...fields,
  }
  const reads = readStates(row, [pool])
  reads.next([])
  const answer = BalancerV3Lens__factory.createInterface().encodeFunctionResult('read', [result as never]) as Hex
  const { done, value } = reads.next([answer])
  return done ? value[0] : undefined
}

test('a weighted pool is read with one weight per token only', () => {
  const weights = [ONE / 2n, ONE / 2n]
  // The pool quotes its first two tokens as weights of two tokens do.
  const state: PooledState = { ...common(2), kind: 'weighted', weights, bounded: true }
  const quote = computeScaledOut(state, listOf(2, BALANCE), 0, 1, ONE)
  const fields = { weights, quotes: [quote, quote] }
  expect(stateOf(2, 'weighted', fields)).toMatchObject({ kind: 'weighted', weights })
  expect(stateOf(3, 'weighted', fields)).toBe(null)
})

test('a reCLAMM pool is read with the virtual balances of both tokens only', () => {
  expect(stateOf(2, 'reclamm', {})).toMatchObject({ kind: 'reclamm', virtual: [ONE, ONE] })
  expect(stateOf(2, 'reclamm', { reclamm: { ...clock, lastVirtualBalances: [] } })).toBe(null)
  expect(stateOf(3, 'reclamm', { reclamm: { ...clock, lastVirtualBalances: listOf(3, ONE) } })).toBe(null)
})

test('a reCLAMM pool whose virtual balances cannot be computed is not read', () => {
  expect(stateOf(2, 'reclamm', { reclamm: { ...clock, lastVirtualBalances: [0n, 0n] } })).toBe(null)
})

test('a pool of Gyro is read with two tokens only', () => {
  const fields = { gyro: [ONE / 2n, 2n * ONE] }
  expect(stateOf(2, 'gyro-2clp', fields)).toMatchObject({ kind: 'gyro-2clp' })
  expect(stateOf(3, 'gyro-2clp', fields)).toBe(null)
})

test('a pool can be readable after the end of its own pause, and after its initialization', () => {
  const signatures = ['PoolPausedStateChanged(address,bool)', 'PoolInitialized(address)']
  expect(balancerV3.resumeTopics).toEqual(signatures.map(id))
  for (const topic of balancerV3.resumeTopics!) expect(balancerV3.topics).toContain(topic)
})
