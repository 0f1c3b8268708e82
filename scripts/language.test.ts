/** Tests of the language rules. */
import { expect, test } from 'vitest'
import { findDuplicateTypes, moduleOf, undocumentedExports } from './lib/check/exports.ts'
import { matchesInDocument, matchesInSource, subjectFault } from './lib/check/language.ts'

const textsOf = (matches: readonly { readonly line: number; readonly text: string }[]) =>
  matches.map(({ line, text }) => `${line} ${text}`)

test('comments: replaced words and forms are found with their lines, code and strings are not', () => {
  const { comments } = matchesInSource(
    'a.ts',
    [
      '/** Told of a quote. `told` is code. */',
      "const text = 'told'",
      '/** True where a pool is empty. */',
      'const x = { /* whoever asks */ a: 1 }',
      '/**',
      ' * Whether it is so.',
      ' */',
      'const url = "https://told" // beside it',
    ].join('\n'),
  )
  expect(textsOf(comments).sort()).toEqual(['1 Told', '3 True where', '4 whoever', '5 /**\n * Whether', '8 beside'])
})

test('names: declarations are found by their words, uses and unlike words are not', () => {
  const { names } = matchesInSource(
    'a.ts',
    [
      'const MOST_POOLS = 3',
      'function tellAll(wish: number, leastOf = 1) { return wish }',
      'type Pool = { readonly held: bigint; readonly holder: string }',
      'const { found, foundAt: place } = pool',
      'const almost = MOST_POOLS + utmost',
    ].join('\n'),
  )
  expect(textsOf(names)).toEqual(['1 MOST_POOLS', '2 tellAll', '2 wish', '2 leastOf', '3 held', '4 found'])
})

test('documents: prose is read, code and addresses of links are not', () => {
  const text = '# Told\n\n```sh\ntell\n```\n`told` [beside](told.md)\n<!-- told -->\nwhatever'
  expect(textsOf(matchesInDocument(text))).toEqual(['1 Told', '8 whatever', '6 beside'])
})

test('exports: a type that two files export, and what an entry exports without a docstring', () => {
  const modules = new Map(
    Object.entries({
      'packages/a/src/index.ts': "export { run, type Known as Other } from './run.ts'\nexport * from './all.ts'",
      'packages/a/src/run.ts': 'export type Known = 1\n/** Runs. */\nexport function run() {}\nexport const hidden = 1',
      'packages/a/src/all.ts': "export interface Open {}\nexport { own } from './own.ts'",
      'packages/a/src/own.ts': 'export const own = 1',
      'packages/b/src/run.ts': 'export class Known {}\nexport const run = 1',
    }).map(([path, text]) => [path, moduleOf(path, text)] as const),
  )
  expect([...findDuplicateTypes(modules)]).toEqual([['Known', ['packages/a/src/run.ts', 'packages/b/src/run.ts']]])
  expect(undocumentedExports('packages/a/src/index.ts', modules)).toEqual([
    'packages/a/src/run.ts:1: "Known": a docstring',
    'packages/a/src/all.ts:1: "Open": a docstring',
    'packages/a/src/own.ts:1: "own": a docstring',
  ])
})

test.each([
  ['rpc: bound connections', true],
  ['api, client: name the recipient', true],
  ['Bound connections', false],
  [`rpc: ${'x'.repeat(68)}`, false],
])('the subject "%s" is in form: %s', (subject, isInForm) => {
  expect(subjectFault(subject) === undefined).toBe(isInForm)
})
