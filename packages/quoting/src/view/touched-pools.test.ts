import type { Snapshot } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { TouchedPools } from './touched-pools.ts'

const at = (hash: string, changedIds: readonly string[] | null) =>
  ({ block: { hash }, changedIds }) as unknown as Snapshot
const touchedIds = (pools: TouchedPools) => ['a', 'b', 'c'].filter((id) => pools.has(id))

test('pools that changed in the newest block are touched, and so are pools discovered in it', () => {
  const pools = new TouchedPools()
  pools.observe(at('0x1', ['a']))
  expect(touchedIds(pools)).toEqual(['a'])
  pools.observe(at('0x1', ['b']))
  expect(touchedIds(pools)).toEqual(['a', 'b'])
  pools.observe(at('0x2', ['c']))
  expect(touchedIds(pools)).toEqual(['c'])
  pools.observe(at('0x3', []))
  expect(touchedIds(pools)).toEqual([])
})

test('every pool counts as touched if the changes are unknown, until the next block', () => {
  const pools = new TouchedPools()
  expect(touchedIds(pools)).toEqual(['a', 'b', 'c'])
  pools.observe(at('0x1', ['a']))
  pools.observe(at('0x2', null))
  pools.observe(at('0x2', ['b']))
  expect(touchedIds(pools)).toEqual(['a', 'b', 'c'])
  pools.observe(at('0x3', ['b']))
  expect(touchedIds(pools)).toEqual(['b'])
})
