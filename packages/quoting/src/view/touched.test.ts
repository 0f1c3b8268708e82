import type { Snapshot } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { TouchedPools } from './touched.ts'

const at = (hash: string, changed: readonly string[] | null) => ({ block: { hash }, changed }) as unknown as Snapshot
const seen = (pools: TouchedPools) => ['a', 'b', 'c'].filter((id) => pools.has(id))

test('pools that changed in the newest block are touched, and those that were found within it', () => {
  const pools = new TouchedPools()
  pools.observe(at('0x1', ['a']))
  expect(seen(pools)).toEqual(['a'])
  pools.observe(at('0x1', ['b']))
  expect(seen(pools)).toEqual(['a', 'b'])
  pools.observe(at('0x2', ['c']))
  expect(seen(pools)).toEqual(['c'])
  pools.observe(at('0x3', []))
  expect(seen(pools)).toEqual([])
})

test('every pool is where nothing is known, until the next block', () => {
  const pools = new TouchedPools()
  expect(seen(pools)).toEqual(['a', 'b', 'c'])
  pools.observe(at('0x1', ['a']))
  pools.observe(at('0x2', null))
  pools.observe(at('0x2', ['b']))
  expect(seen(pools)).toEqual(['a', 'b', 'c'])
  pools.observe(at('0x3', ['b']))
  expect(seen(pools)).toEqual(['b'])
})
