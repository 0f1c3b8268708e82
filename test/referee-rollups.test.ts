/**
 * Tests that verdicts on recorded blocks of Linea and Scroll are those of the committed table. The blocks of Linea are
 * from before its EVM ran the instructions of the Cancun build. `npm run bench -- referee` judges all of them.
 *
 * @module-tag long
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from '@sluice/chains'
import { type RecordedRollup, readRecordings } from '@sluice/devnet'
import { expect, test } from 'vitest'
import { judgeRecording } from './src/referee-rollups.ts'
import type { TableRow } from './src/referee-rows.ts'

type Results = Readonly<Record<RecordedRollup, { readonly compared: number; readonly table: readonly TableRow[] }>>

const file = join(import.meta.dirname, '../bench/results/referee-rollups.json')
const results = JSON.parse(readFileSync(file, 'utf8')) as Results
/** Maximum difference in basis points: another search may find a slightly better route. */
const TOLERANCE_BPS = 0.1

/** Fields that the chain alone decides. */
const factsOf = ({ hash, block, index, to, src, dst, fromAmount, toAmount, fees, sandwiched }: TableRow) => {
  return { hash, block, index, to, src, dst, fromAmount, toAmount, fees, sandwiched }
}

// One transaction each of a 4337 account, a public router, and an aggregator on Linea, and of a user's contract on
// Scroll.
test.each([
  ['linea', 4_323_985],
  ['linea', 5_995_162],
  ['scroll', 19_604_670],
] as const)(
  'of %s, block %i',
  async (name, number) => {
    const committed = results[name].table.filter(({ block }) => block === number)
    expect(committed.length).toBeGreaterThan(0)
    const recording = readRecordings(name).find(({ blocks }) => blocks[0]!.number === number)!
    const hashes = new Set<string>(committed.map(({ hash }) => hash))
    const { table } = await judgeRecording(
      { ...recording, blocks: recording.blocks.slice(0, 1) },
      { includes: (hash: Hex) => hashes.has(hash) },
    )
    expect(table.map(factsOf)).toEqual(committed.map(factsOf))
    for (const [k, row] of table.entries()) {
      const { leftBps, state, hash } = row
      const expected = committed[k]!
      expect([state, leftBps === null], hash).toEqual([expected.state, expected.leftBps === null])
      expect(Math.abs((leftBps ?? 0) - (expected.leftBps ?? 0)), hash).toBeLessThan(TOLERANCE_BPS)
      if (leftBps !== null && row.leftAtMostBps !== null)
        expect(row.leftAtMostBps, hash).toBeGreaterThanOrEqual(leftBps)
    }
  },
  300_000,
)

test('at least fifty swaps of the recorded blocks can be compared', () => {
  const { linea, scroll } = results
  expect(linea.compared + scroll.compared).toBeGreaterThanOrEqual(50)
})
