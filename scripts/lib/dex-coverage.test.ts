/** Tests of the DEX coverage page. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadRegistry } from '@sluice/chains'
import { exactIdOf, families } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { countInReadme, dexCoverage, recordedShares } from './dex-coverage.ts'
import { root } from './run.ts'

const registry = loadRegistry()
const chains = registry.supportedIds().map((id) => registry.chain(id)!)

test('docs/dexes.md is up to date with the registry and the families (npm run docs)', () => {
  expect(readFileSync(join(root, 'docs/dexes.md'), 'utf8')).toBe(dexCoverage(chains, recordedShares()))
})

test('the README has the current counts, which npm run docs writes', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  expect(countInReadme(readme, chains)).toBe(readme)
  const [, served] = /([\d,]+) of [\d,]+ rows/.exec(dexCoverage(chains.slice(0, 1), recordedShares()))!
  expect(countInReadme(readme, chains.slice(0, 1))).toContain(`[${served} DEX deployments on 1 chains](docs/dexes.md)`)
  expect(() => countInReadme('', chains)).toThrow(/^README.md: expected/)
})

test('a family that is not served needs a reason', () => {
  const [chain] = chains
  const row = { ...chain!.dexes[0]!, family: 'unheard-of' }
  expect(() => dexCoverage([{ ...chain!, dexes: [row] }], recordedShares())).toThrow(/^unheard-of: no reason/)
})

test('the page says why swaps of recorded blocks could not be used', () => {
  const { ethereum, linea, scroll } = recordedShares()
  const page = dexCoverage(chains, { ethereum, linea, scroll })
  expect(page).toContain(`| scroll | 20 (19604670 to 19604689) | ${scroll.swaps.total} | `)
  for (const { reason } of [ethereum, linea, scroll].flatMap(({ unused }) => unused)) expect(page).toContain(reason)
})

test('every family has a line about its excluded pools', () => {
  const page = dexCoverage(chains, recordedShares())
  for (const { id } of families.filter(({ id }) => exactIdOf(id) === null))
    expect(page).toMatch(new RegExp(`^\\| ${id} \\| (exact|exact, or sampled|sampled) \\| `, 'm'))
  expect(page).toContain('| uniswap-v4-hooks | sampled | ')
})

test('every family that refreshes state has a line about it', () => {
  const page = dexCoverage(chains, recordedShares())
  const section = page.slice(page.indexOf('## What changes without a log'), page.indexOf('## Swaps of real blocks'))
  for (const { id, refreshStates } of families.filter(({ id }) => exactIdOf(id) === null))
    if (refreshStates) expect(section).toMatch(new RegExp(`^\\| ${id} \\| \\w.* \\| (all|some|budget) \\| `, 'm'))
  expect(section).toContain('| slipstream | fee | budget |  |')
  expect(section).toContain('| uniswap-v2 |  |  | not detected')
})
