/** The lists of `npm run mutants` name sources that exist: an entry with an old line would count for nothing. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encoderMutants, mutants } from '../../contracts/test/mutants.ts'
import { root } from '../lib/run.ts'

type Equivalent = {
  readonly path: string
  readonly line: string
  readonly replacement: string
  readonly reason: string
}
type Survivor = { readonly at: string }
type Results = {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly seeds: readonly { readonly survived: readonly Survivor[]; readonly equivalent?: readonly Survivor[] }[]
      }
    >
  >
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'))
const equivalents = readJson('scripts/mutants/equivalent.json') as readonly Equivalent[]

test('Each equivalent mutant names a line of its source, a changed text, and a reason, and is listed once.', () => {
  const staleEntries = equivalents.filter(({ path, line }) => {
    const lines = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8').split('\n') : []
    return !lines.some((text) => text.trim() === line)
  })
  expect(staleEntries).toEqual([])
  expect(equivalents.filter(({ replacement, reason }) => !/^\w+: \S/.test(replacement) || reason === '')).toEqual([])
  const keys = equivalents.map(({ path, line, replacement }) => `${path}\n${line}\n${replacement}`)
  expect(keys.filter((key, k) => keys.indexOf(key) !== k)).toEqual([])
})

test('Recorded survivors name sources that exist.', () => {
  const { packages } = readJson('bench/results/unit-mutants.json') as Results
  const survivors = Object.values(packages).flatMap(({ seeds }) =>
    seeds.flatMap(({ survived, equivalent = [] }) => [...survived, ...equivalent]),
  )
  const missingPaths = survivors
    .map(({ at }) => at.slice(0, at.lastIndexOf(':')))
    .filter((path) => !existsSync(join(root, path)))
  expect(survivors.length).toBeGreaterThan(0)
  expect(missingPaths).toEqual([])
})

test('Each mutant of the contracts and the encoder breaks a text of its source.', () => {
  const targets = [...mutants.map((mutant) => ({ ...mutant, file: `contracts/src/${mutant.file}` })), ...encoderMutants]
  expect(targets.length).toBeGreaterThan(100)
  const staleNames = targets
    .filter(({ file, from }) => !readFileSync(join(root, file), 'utf8').includes(from))
    .map(({ name }) => name)
  expect(staleNames).toEqual([])
})
