/** Tests which pools are read as weighted or stable pools. */
import { BalancerV2Lens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import { readStates } from './state.ts'

const [vault, share, ...tokens] = ['a', 'b', 'c', 'd'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  Address,
  Address,
  Address,
  Address,
]
const row: DexRow = { family: 'balancer-v2', brand: 'test', role: 'vault', address: vault }
const pool: Pool<null> = {
  ...{ id: `${share}${'0'.repeat(24)}`, family: 'balancer-v2', dex: 'test', address: share },
  ...{ tokens, fixed: { vault }, state: null },
}
const ONE = 10n ** 18n
const read = {
  ...{ swapFee: ONE / 100n, paused: false, weights: [] as bigint[], amp: 0n, versioned: true },
  ...{ moves: false, suspended: false },
}
const weighted = { ...read, balances: [7n, 8n], scaling: [ONE, ONE], weights: [ONE / 2n, ONE / 2n], bptIndex: 2n }
const stable = { ...read, balances: [7n, 9n, 8n], scaling: [ONE, ONE, ONE], amp: 1_000n, bptIndex: 1n }

function stateOf(result: object) {
  const reads = readStates(row, [pool])
  reads.next([])
  const answer = BalancerV2Lens__factory.createInterface().encodeFunctionResult('read', [result as never]) as Hex
  const { done, value } = reads.next([answer])
  return done ? value[0] : undefined
}

test('a pool is read with one balance, scale, and weight per token, without its share', () => {
  expect(stateOf(weighted)).toMatchObject({ kind: 'weighted', balances: [7n, 8n], weights: [ONE / 2n, ONE / 2n] })
  expect(stateOf(stable)).toMatchObject({ kind: 'stable', balances: [7n, 8n], scaling: [ONE, ONE], roundsUp: false })
  expect(stateOf({ ...stable, balances: [7n, 8n], scaling: [ONE, ONE], bptIndex: 2n })).toMatchObject({
    ...{ kind: 'stable', balances: [7n, 8n], roundsUp: true },
  })
  expect(stateOf({ ...weighted, paused: true })).toBe(null)
})

test('a pool whose lists do not match its tokens is not read', () => {
  // A managed pool has its share among its tokens, but reports no index of it.
  const withShare = { balances: [9n, 7n, 8n], scaling: [ONE, ONE, ONE] }
  expect(stateOf({ ...weighted, ...withShare, bptIndex: 3n })).toBe(null)
  expect(stateOf({ ...weighted, weights: [ONE / 2n, ONE / 4n, ONE / 4n] })).toBe(null)
  expect(stateOf({ ...stable, balances: [7n, 9n, 8n, 6n] })).toBe(null)
})
