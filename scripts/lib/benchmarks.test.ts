/** Tests that every benchmark can be found: its file, its row in bench/README.md, and its place on the command line. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BENCHMARKS, chooseBenchmark } from './benchmarks.ts'
import { root } from './run.ts'

const MAX_NAMES = 20
const bench = join(root, 'bench')
const all = Object.entries(BENCHMARKS).flatMap(([name, { parts, hasMain = true }]) =>
  parts.map((part, k) => ({ file: `${name}/${part}.ts`, row: k === 0 && hasMain ? name : `${name} ${part}` })),
)

test('there are few names', () => expect(Object.keys(BENCHMARKS).length).toBeLessThanOrEqual(MAX_NAMES))

test('every part has a file and a row in bench/README.md, and every row is a part', () => {
  for (const { file } of all) expect(existsSync(join(bench, file)), file).toBe(true)
  const readme = readFileSync(join(bench, 'README.md'), 'utf8')
  const [, table] = /\| benchmark \|.*\n\| -.*\n((?:\|.*\n)+)/.exec(readme)!
  const rows = [...table!.matchAll(/^\| `([^`]+)` \|/gm)].map(([, row]) => row)
  expect(rows.toSorted()).toEqual(all.map(({ row }) => row).toSorted())
})

test('every folder with benchmarks has a name', () => {
  const folders = readdirSync(bench, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const names = folders.map(({ name }) => name).filter((name) => !/^(\..*|lib|node_modules|results)$/.test(name))
  expect(names.toSorted()).toEqual(Object.keys(BENCHMARKS).toSorted())
})

describe('the choice of a benchmark', () => {
  test.each([
    ['the main part', 'router', { file: 'router/search.ts', args: [] }],
    ['the main part with arguments', 'bus 1000', { file: 'bus/bus.ts', args: ['1000'] }],
    ['the main part with a path', 'router ./peer.mjs', { file: 'router/search.ts', args: ['./peer.mjs'] }],
    ['a named part', 'load soak 1 5', { file: 'load/soak.ts', args: ['1', '5'] }],
    ['words of a named main part', 'faults endpoints slow', { file: 'faults/endpoints.ts', args: ['slow'] }],
    ['words of the only part', 'referee rollups', { file: 'referee/referee.ts', args: ['rollups'] }],
  ])('%s: %s', (_, line, choice) => expect(chooseBenchmark(line.split(' '))).toEqual(choice))

  test.each([
    ['an unknown name', 'weather', 'There is no benchmark "weather".'],
    ['the name of an object property', 'toString', 'There is no benchmark "toString".'],
    ['an unknown part', 'router widths', '"router" has no part "widths". Its parts are search, scale,'],
    ['no part where one is needed', 'load', '"load" has no main part. Name one: npm run bench -- load <api |'],
  ])('%s is refused: %s', (_, line, message) => {
    const choice = chooseBenchmark(line.split(' '))
    expect(choice).toMatchObject({ code: 1, text: expect.stringContaining(message) })
  })

  test('no name lists all of them, one a line', () => {
    const choice = chooseBenchmark([])
    expect(choice).toMatchObject({ code: 0 })
    for (const [name, { about }] of Object.entries(BENCHMARKS))
      expect('text' in choice && choice.text).toMatch(new RegExp(`^  ${name} +${about}`, 'm'))
  })
})
