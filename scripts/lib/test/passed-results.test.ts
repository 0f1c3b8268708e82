/** Tests the storage of passed results. */
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { PassedResults } from './passed-results.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-results-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const resultOf = (passed: number) => ({ passed, skipped: 0, skips: [] })

test('returns what was stored for the same key, and drops the results that were unused for longest', () => {
  const results = new PassedResults(folder, 2)
  results.set('a', resultOf(1))
  results.set('b', resultOf(2))
  for (const [name, seconds] of [
    ['a', 1],
    ['b', 2],
  ] as const)
    utimesSync(join(folder, `${name}.json`), seconds, seconds)
  expect(results.get('a')).toEqual(resultOf(1))
  results.set('c', resultOf(3))
  expect(['a', 'b', 'c'].map((key) => results.get(key)?.passed)).toEqual([1, undefined, 3])
  expect(readdirSync(folder)).toHaveLength(2)
})

test('a damaged result counts as none', () => {
  writeFileSync(join(folder, 'a.json'), '{"passed"')
  expect(new PassedResults(folder).get('a')).toBeUndefined()
})
