/** The list of `npm run bench -- bus guards` names code that exists: with an old line, the benchmark cannot run. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { guards } from '../bench/bus/guard-list.ts'

test('each edit of a guard of the bus changes its source file', () => {
  const edits = guards.flatMap(({ edits }) => edits)
  expect(edits.length).toBeGreaterThan(10)
  const staleEdits = edits.filter(({ file, from, to }) => {
    const text = readFileSync(file, 'utf8')
    return text.replaceAll(from, () => to) === text
  })
  expect(staleEdits).toEqual([])
})
