/** Tests of the response schema of `/stats`. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { stats } from './stats-response.ts'

const figures = { mean: 1.5, median: -2, worst5: null }
const drift = [1, 2].map((after) => ({ after, samples: 3, wouldRevertPercent: 0, driftBps: figures }))
const answer = {
  ...{ chainId: 1, samplePercent: 1, samples: 6, missed: 0, blocks: drift },
  families: [{ protocol: 'uniswap-v2', blocks: drift }],
  brands: [{ dex: 'Uniswap', blocks: drift }],
  pools: [{ pool: '0x01', protocol: 'uniswap-v2', dex: 'Uniswap', blocks: drift }],
  withdrawing: [
    {
      ...{ pool: '0x01', protocol: 'uniswap-v2', dex: 'Uniswap', haircutPercent: 100, leftOutUntil: null },
      ...{ samples: 1.5, withdrew: 0 },
    },
  ],
}

test('figures of drift are numbers of either sign, or null where nothing was paid', () => {
  expect(stats.parse(answer)).toEqual(answer)
  for (const name of ['mean', 'median', 'worst5'])
    for (const wrong of ['1', undefined]) {
      const blocks = drift.with(0, { ...drift[0]!, driftBps: { ...figures, [name]: wrong } })
      expect(stats.safeParse({ ...answer, blocks }).success).toBe(false)
    }
})

test.each([
  ['one block alone', drift.slice(0, 1)],
  ['a third block', [...drift, { ...drift[0]!, after: 3 }]],
  ['a block of its own', drift.with(0, { ...drift[0]!, after: 0 })],
  ['fewer than no samples', drift.with(0, { ...drift[0]!, samples: -1 })],
  ['more than all reverted', drift.with(0, { ...drift[0]!, wouldRevertPercent: 100.1 })],
])('%s is no answer', (_name, blocks) => {
  expect(stats.safeParse({ ...answer, blocks }).success).toBe(false)
})

test('the documentation says what each figure of drift is', () => {
  const json = JSON.stringify(z.toJSONSchema(stats))
  for (const text of ['Mean', 'Median', '5 % of the quotes drift this much or worse'])
    expect(json).toContain(`"${text}; null if no simulation succeeded."`)
})
