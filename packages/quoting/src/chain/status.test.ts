import type { ChainClock } from '@sluice/rpc'
import { expect, test } from 'vitest'
import { awakeStatus } from './status.ts'

const NOW = 1_700_000_000_000
const clockOf = (state: ChainClock['state'], behindSeconds: number | null = 1): ChainClock => ({
  intervalMs: 12_000,
  longestMs: 24_000,
  behindSeconds,
  state,
})
const headOf = (age: number) => ({ number: 7, timestamp: NOW / 1_000 - age })
const statusOf = (age: number, clock: ChainClock, error: string | null = null) =>
  awakeStatus(1, { head: headOf(age), error, clock, pools: 3 }, NOW)

test('a chain with timely blocks needs no reason', () => {
  expect(statusOf(5, clockOf('moving'))).toEqual({
    chainId: 1,
    state: 'awake',
    head: 7,
    lagSeconds: 5,
    pools: 3,
    clock: 'moving',
  })
})

test('a chain without a block for hours whose node answers is resting, not failing', () => {
  expect(statusOf(10_800, clockOf('resting'))).toMatchObject({
    state: 'awake',
    clock: 'resting',
    reason: 'no block for 10800 s, where one comes every 12 s usually; the node answers',
  })
})

test('a node with a wrong clock is distinguished from a resting chain, in both directions', () => {
  expect(statusOf(3_600, clockOf('off', 3_600))).toMatchObject({
    state: 'awake',
    clock: 'off',
    reason: "new blocks are 3600 s behind our clock: the node's clock or ours is wrong",
  })
  expect(statusOf(-90, clockOf('off', -90)).reason).toMatch(/^new blocks are 90 s ahead of our clock/)
})

test('a failing node is reported without its error message, which may contain its address', () => {
  const status = statusOf(5, clockOf('moving'), 'connect ECONNREFUSED 10.0.0.7:8545')
  expect(status).toMatchObject({ state: 'failing', reason: 'the node does not answer as it should' })
})

test('a chain that has no block yet has neither a head nor a number of pools', () => {
  const status = awakeStatus(1, { head: null, error: null, clock: clockOf('unknown'), pools: undefined }, NOW)
  for (const name of ['head', 'lagSeconds', 'pools', 'scan']) expect(status).not.toHaveProperty(name)
  expect(status).toMatchObject({ chainId: 1, state: 'awake', clock: 'unknown' })
})
