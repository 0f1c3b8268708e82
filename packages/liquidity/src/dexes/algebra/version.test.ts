/** Tests how the version of a pool follows from its getters. */
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import { readFixed } from './version.ts'

const [address, factory] = [toAddress(`0x${'1'.repeat(40)}`), toAddress(`0x${'2'.repeat(40)}`)]
const row: DexRow = { family: 'algebra', brand: 'test', role: 'factory', address: factory }
const pool: Pool<null> = {
  id: address,
  family: 'algebra',
  dex: 'test',
  address,
  tokens: [address, factory],
  state: null,
}

/** Returns the version of a pool whose getters return so many words; null for a getter that reverts. */
function versionOf(globalState: number, ...getters: readonly (number | null)[]): unknown {
  const reads = readFixed(row, [pool])
  reads.next([])
  const answers = [globalState, ...getters].map((words): Hex | null =>
    words === null ? null : `0x${'00'.repeat(32 * words)}`,
  )
  const { done, value } = reads.next(answers)
  return done ? (value[0]!.fixed as { version: unknown }).version : 'read on'
}

test('a pool without plugins is of version 1 if its state has seven or eight words', () => {
  expect([6, 7, 8, 9].map((words) => versionOf(words, null, null, null))).toEqual([null, 'v1', 'v1', null])
})

test('a pool with limit orders, or with the time of a community fee, is of neither version', () => {
  expect(versionOf(7, null, 1, null)).toBeNull()
  expect(versionOf(7, null, null, 1)).toBeNull()
  expect(versionOf(6, 1, 1, null)).toBeNull()
})

test('a pool with plugins is integral if its state has six words, and is then verified', () => {
  expect(versionOf(6, 1, null, null)).toBe('read on')
  expect(versionOf(7, 1, null, null)).toBeNull()
})
