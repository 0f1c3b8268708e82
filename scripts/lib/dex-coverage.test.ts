/** Tests of the DEX coverage page. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadRegistry } from '@sluice/chains'
import { families } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { dexCoverage } from './dex-coverage.ts'
import { root } from './run.ts'

const registry = loadRegistry()
const chains = registry.supportedIds().map((id) => registry.chain(id)!)

test('docs/dexes.md is up to date with the registry and the families (npm run docs)', () => {
  expect(readFileSync(join(root, 'docs/dexes.md'), 'utf8')).toBe(dexCoverage(chains))
})

test('a family that is not served needs a reason', () => {
  const [chain] = chains
  const row = { ...chain!.dexes[0]!, family: 'unheard-of' }
  expect(() => dexCoverage([{ ...chain!, dexes: [row] }])).toThrow(/^unheard-of: no reason/)
})

test('every family has a line about its excluded pools', () => {
  const page = dexCoverage(chains)
  for (const { id } of families) expect(page).toMatch(new RegExp(`^\\| ${id} \\| (exact|sampled) \\| `, 'm'))
  expect(page).toContain('| uniswap-v4-hooks | sampled | ')
})
