/** Filters on liquidity sources. */
import { expect, test } from 'vitest'
import { refusalOf, type SourceFilter } from './sources.ts'

const refusal = (family: string, dex: string, filter: SourceFilter) => refusalOf({ family, dex }, filter)

test('a source is named by its family or DEX, in any letter case', () => {
  const include = new Set(['uniswap-v2', 'brand three'])
  expect(refusal('uniswap-v2', 'Any', { include })).toBeNull()
  expect(refusal('uniswap-v3', 'Brand Three', { include })).toBeNull()
  expect(refusal('uniswap-v3', 'Other', { include })).toContain('include')
  const exclude = new Set(['uniswap-v2'])
  expect(refusal('uniswap-v2', 'Any', { exclude })).toContain('exclude')
  expect(refusal('uniswap-v3', 'Any', { exclude })).toBeNull()
  expect(refusal('uniswap-v2', 'Any', {})).toBeNull()
})

test('a family unknown to the Executor is refused, even if the caller includes it', () => {
  const executable = new Set(['uniswap-v2'])
  expect(refusal('dodo-v2', 'Dodo', { executable, include: new Set(['dodo']) })).toContain('dodo-v2')
  expect(refusal('uniswap-v2', 'Any', { executable })).toBeNull()
})

test('the wrapper need not be included, but can be excluded', () => {
  expect(refusal('wrapped-native', 'WETH', { include: new Set(['uniswap-v2']) })).toBeNull()
  expect(refusal('wrapped-native', 'WETH', { exclude: new Set(['wrapped-native']) })).toContain('exclude')
})
