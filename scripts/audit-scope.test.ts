/** Tests that the audit pages match the sources. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ops } from '@sluice/program'
import { describe, expect, test } from 'vitest'
import { familyFacts } from './audit-families.ts'
import { pages } from './audit-scope.ts'
import { root } from './lib/run.ts'

const dossier = join(root, 'docs/audit')

describe('the audit dossier', () => {
  test.each(pages)('$file is up to date with the sources', ({ text, expectedText }) => {
    expect(text, 'stale: npm run audit:scope').toBe(expectedText())
  })

  test('links every page from its first page', () => {
    const readme = readFileSync(join(dossier, 'README.md'), 'utf8')
    for (const file of readdirSync(dossier).filter((name) => name !== 'README.md'))
      expect(readme).toContain(`(${file})`)
  })

  /** Checks that every test cited as evidence exists. */
  test('names tests that exist', () => {
    const sources = [
      'contracts/test',
      'contracts/test/invariants',
      'packages/client/test',
      'packages/client/src',
      'scripts',
      'test',
    ]
      .flatMap((folder) => readdirSync(join(root, folder), { withFileTypes: true }).map((entry) => ({ folder, entry })))
      .filter(({ entry }) => entry.isFile() && /\.(t\.sol|test\.ts)$/.test(entry.name))
      .map(({ folder, entry }) => [entry.name, readFileSync(join(root, folder, entry.name), 'utf8')] as const)
    const files = new Set(sources.map(([name]) => name))
    const text = sources.map(([, content]) => content).join('\n')
    const pageTexts = readdirSync(dossier).map((file) => readFileSync(join(dossier, file), 'utf8'))
    const named = pageTexts.flatMap((page) =>
      [...page.matchAll(/`(?:[\w/-]+\/)?([\w-]+\.(?:t\.sol|test\.ts))`/g)].map(([, name]) => name!),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((name) => !files.has(name))).toEqual([])
    const tests = pageTexts.flatMap((page) => [...page.matchAll(/`(testFuzz_\w+|test_\w+)`/g)].map(([, name]) => name!))
    expect(tests.length).toBeGreaterThan(7)
    expect(tests.filter((name) => !text.includes(`function ${name}(`))).toEqual([])
  })
})

describe('the table of operations', () => {
  const facts = familyFacts()

  test('has every operation of the encoder', () => {
    expect(facts.map(({ name }) => name)).toEqual(ops.map(({ name }) => name))
  })

  /** Compares the page with the encoder's own list of operations that an earlier step pays. */
  test('agrees with the encoder on prepaid inputs', () => {
    const ahead = facts
      .filter(({ payments }) => payments.some((way) => way.startsWith('ahead')))
      .map(({ name }) => name)
    for (const op of ops) if ('canBePrepaid' in op && op.canBePrepaid) expect(ahead).toContain(op.name)
  })

  test('describes partial fills for every step that takes its input first, and for every callback', () => {
    for (const { name, payments: paid, partialFills: partial } of facts)
      expect(partial.length, `${name}: ${paid}`).toBeGreaterThan(0)
    const unguarded = facts.filter(
      ({ payments: paid, partialFills: partial }) =>
        paid.includes('taken, approved') && !/reverts|forfeited|exact input/.test(partial.join()),
    )
    expect(unguarded).toEqual([])
  })
})
