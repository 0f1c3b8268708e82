import { expect, test } from 'vitest'
import { refusalOf, type SourceFilter } from './sources.ts'

const refused = (family: string, dex: string, filter: SourceFilter) => refusalOf({ family, dex }, filter)

test('a source is named by its family or its brand, in any case', () => {
  const include = new Set(['uniswap-v2', 'brand three'])
  expect(refused('uniswap-v2', 'Any', { include })).toBeNull()
  expect(refused('uniswap-v3', 'Brand Three', { include })).toBeNull()
  expect(refused('uniswap-v3', 'Other', { include })).toContain('include')
  const exclude = new Set(['uniswap-v2'])
  expect(refused('uniswap-v2', 'Any', { exclude })).toContain('exclude')
  expect(refused('uniswap-v3', 'Any', { exclude })).toBeNull()
  expect(refused('uniswap-v2', 'Any', {})).toBeNull()
})

test('a family that the Executor does not know is refused whatever the caller names', () => {
  const executable = new Set(['uniswap-v2'])
  expect(refused('dodo-v2', 'Dodo', { executable, include: new Set(['dodo']) })).toContain('dodo-v2')
  expect(refused('uniswap-v2', 'Any', { executable })).toBeNull()
})

test('the wrapper needs no naming, but can be left out', () => {
  expect(refused('wrapped-native', 'WETH', { include: new Set(['uniswap-v2']) })).toBeNull()
  expect(refused('wrapped-native', 'WETH', { exclude: new Set(['wrapped-native']) })).toContain('exclude')
})
