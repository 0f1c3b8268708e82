/** Tests of how drift statistics are read. */
import type { Stats } from '@sluice/client'
import { expect, test } from 'vitest'
import { sanitizeText } from '../format/sanitize-text.ts'
import { parseDriftStats } from './drift.ts'

test('untrusted text loses bidi, invisible, and combining characters and line breaks, and is truncated', () => {
  expect(sanitizeText('Uniswap V3')).toBe('Uniswap V3')
  expect(sanitizeText('\u202eevil\u0000\n\u200bname\u0301\u0301 ')).toBe('evil name')
  expect(sanitizeText('Ünï 交換 🦄')).toBe('Ünï 交換 🦄')
  expect(sanitizeText('W'.repeat(1_000_000))).toHaveLength(80)
})

test('statistics are parsed by block in any order, and missing values are unknown', () => {
  const drift = (after: number, median: number | null) => ({
    ...{ after, samples: 3, wouldRevertPercent: 50 },
    driftBps: { mean: 1, median, worst5: -2 },
  })
  const stats = {
    ...{ chainId: 1, samplePercent: 1, samples: 6, missed: 0, blocks: [drift(2, -1), drift(1, 0.5)] },
    families: [{ protocol: 'uniswap-v2', blocks: [drift(1, 4)] }],
    brands: [],
    pools: [],
    withdrawing: [],
  } as unknown as Stats
  const { chain, rows } = parseDriftStats(stats)
  expect(chain.map(({ medianBps }) => medianBps)).toEqual([0.5, -1])
  expect(rows.family).toMatchObject([
    { key: 'uniswap-v2', driftByDelay: [{ medianBps: 4 }, { samples: 0, medianBps: null }] },
  ])
})

test('a response that is not statistics is not drawn', () => {
  for (const answer of [{}, { blocks: 7, families: 'x', withdrawing: {} }, { pools: [[], null, { pool: 7 }] }])
    expect(parseDriftStats(answer as unknown as Stats)).toMatchObject({
      samples: 0,
      rows: { family: [], brand: [], pool: [] },
      fadingPools: [],
    })
})
