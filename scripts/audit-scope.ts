/**
 * `npm run audit:scope`: writes the pages of docs/audit that are generated from sources, compiled contracts, and
 * benchmark results.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { id } from 'ethers'
import { familiesPage } from './audit-families.ts'
import { limitsPage } from './audit-limits.ts'
import { root } from './lib/run.ts'

type StandardJson = { readonly sources: Readonly<Record<string, { readonly content: string }>> }
type FrozenContracts = Readonly<Record<string, { readonly address: string; readonly initCodeHash: string }>>

const CONTRACTS = ['Guard', 'GuardLondon', 'Executor.v1', 'ExecutorLondon.v1'] as const

export function scopePage(): string {
  const read = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8'))
  const frozen = read<FrozenContracts>('contracts/frozen-guards.json')
  const sourcesByPath = new Map<string, { content: string; contracts: string[] }>()
  for (const contract of CONTRACTS) {
    const { sources } = read<StandardJson>(`deployments/standard-json/${contract}.json`)
    for (const [path, { content }] of Object.entries(sources)) {
      const source = sourcesByPath.get(path) ?? { content, contracts: [] }
      source.contracts.push(contract.replace('.v1', ''))
      sourcesByPath.set(path, source)
    }
  }
  const rows = [...sourcesByPath]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { content, contracts: by }]) => {
      const lines = content.split('\n').filter((line) => line.trim() !== '' && !/^\s*(\/\/|\*)/.test(line)).length
      return `| \`${path.replace('project/', 'contracts/')}\` | ${lines} | ${by.join(', ')} | \`${id(content).slice(0, 18)}…\` |`
    })
  const guards = Object.entries(frozen).map(
    ([build, { address, initCodeHash }]) => `| \`${build}\` | \`${address}\` | \`${initCodeHash}\` |`,
  )
  return `# Scope

Made by \`npm run audit:scope\`; a test holds it to the sources. The commit is that of this file. solc 0.8.30, via IR, 1,000,000 runs.

| Guard | address on every chain of the build | keccak256 of its init code |
| --- | --- | --- |
${guards.join('\n')}

| file | lines of code | part of | keccak256 |
| --- | ---: | --- | --- |
${rows.join('\n')}
`
}

/** Functions that return the text of a page, by the page's file name in docs/audit. */
export const pages: Readonly<Record<string, () => string>> = {
  'scope.md': scopePage,
  'families.md': familiesPage,
  'limits.md': limitsPage,
}

if (import.meta.main)
  for (const [file, page] of Object.entries(pages)) writeFileSync(join(root, 'docs/audit', file), page())
