/** Runs the tests of two packages of a copy of the repository, again and after changes. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyRepository, keepTests } from './copy.ts'
import { groupKeys } from './groups.ts'
import { PassedResults } from './passed-results.ts'
import { closingLine, runTypescriptTests } from './run-tests.ts'

let copy: string
let results: PassedResults
beforeAll(() => {
  copy = copyRepository()
  keepTests(copy, ['packages/chains', 'packages/program'])
  results = new PassedResults(join(copy, '.turbo/results'))
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const env = { ...process.env }

/** Runs what changed, as `npm test` does. */
function runChanged() {
  const currentKeys = () => groupKeys(copy, env)
  const cache = { results, keys: currentKeys(), currentKeys }
  return runTypescriptTests(['--tagsFilter=!long'], { folder: copy, env, cache, quiet: true })
}

test('what passed is not run again, and still counted; what changed or failed is', { tags: 'long' }, async () => {
  expect([...groupKeys(copy, env).keys()].sort()).toEqual(['packages/chains', 'packages/program'])
  const first = await runChanged()
  expect(first).toMatchObject({ failed: 0, unchanged: 0 })
  expect(first.files.length).toBeGreaterThan(2)

  const second = await runChanged()
  expect(second).toMatchObject({ passed: first.passed, failed: 0, unchanged: first.passed, files: [] })
  expect(closingLine(second)).toMatch(new RegExp(`^${first.passed} passed, 0 failed \\(${first.passed} of them`))

  const source = join(copy, 'packages/program/src/index.ts')
  const text = readFileSync(source, 'utf8')
  appendFileSync(source, 'export const changed = true\n')
  const third = await runChanged()
  expect(third.passed).toBe(first.passed)
  expect(third.files.every(({ file }) => file.startsWith('packages/program/'))).toBe(true)

  writeFileSync(source, 'export const nothing = 1\n')
  for (const failed of [await runChanged(), await runChanged()]) {
    expect(failed.failed).toBeGreaterThan(0)
    expect(failed.files.length).toBeGreaterThan(0)
  }

  writeFileSync(source, text)
  expect(await runChanged()).toMatchObject({ passed: first.passed, unchanged: first.passed })
})
