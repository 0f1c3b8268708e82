/** Tests that every failure is a ClientError, for random responses of service, wallet and node. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stage, startStage } from '../service.ts'
import { callOf, fuzzFailures } from './failures.ts'
import { honestQuotes } from './genuine-quotes.ts'
import { randomOf } from './random.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage?.stop())

const cases = process.env.LONG === '1' ? 100_000 : 1_000

test(`in ${cases} cases around genuine routes`, async () => {
  const quotes = await honestQuotes(stage)
  const honest = quotes.map(({ route, request }) => ({ route, request, contracts: stage.contracts }))
  const report = await fuzzFailures({ cases, seed: 7 }, honest)
  expect(report.examples).toEqual([])
  expect(Object.keys(report.failed).length).toBeGreaterThan(7)
}, 600_000)

test('in the 100,000 cases of the committed result, which cover every call', () => {
  const report = JSON.parse(readFileSync(join(import.meta.dirname, 'results/failures.json'), 'utf8'))
  expect(report).toMatchObject({ others: 0, examples: [] })
  expect(report.cases).toBeGreaterThanOrEqual(100_000)
  const random = randomOf(3)
  const names = new Set(Array.from({ length: 2_000 }, () => callOf(random)[0]))
  expect(Object.keys(report.byCall).sort()).toEqual([...names].sort())
})
