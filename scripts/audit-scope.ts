/**
 * `npm run audit:scope`: writes the tables of docs/audit that are generated from sources, compiled contracts, and
 * benchmark results.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { id } from 'ethers'
import { familiesTable } from './audit-families.ts'
import { limitsTables } from './audit-limits.ts'
import { withBlocks } from './lib/generated-blocks.ts'
import { root } from './lib/run.ts'

type StandardJson = { readonly sources: Readonly<Record<string, { readonly content: string }>> }
type FrozenContracts = Readonly<Record<string, { readonly address: string; readonly initCodeHash: string }>>

const CONTRACTS = ['Guard', 'GuardLondon', 'Executor.v1', 'ExecutorLondon.v1'] as const

function scopeTables() {
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
    .map(([path, { content, contracts }]) => {
      const lines = content.split('\n').filter((line) => line.trim() !== '' && !/^\s*(\/\/|\*)/.test(line)).length
      return `| \`${path.replace('project/', 'contracts/')}\` | ${lines} | ${contracts.join(', ')} | \`${id(content).slice(0, 18)}…\` |`
    })
  const guards = Object.entries(frozen).map(
    ([build, { address, initCodeHash }]) => `| \`${build}\` | \`${address}\` | \`${initCodeHash}\` |`,
  )
  return {
    guards: [
      '| Guard | address, the same on all chains of the build | keccak256 of its init code |',
      '| --- | --- | --- |',
      ...guards,
    ].join('\n'),
    files: ['| file | lines of code | part of | keccak256 |', '| --- | ---: | --- | --- |', ...rows].join('\n'),
  }
}

/** Functions that return the tables of a page by name, by the page's file name in docs/audit. */
const tablesOfPages: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  'scope.md': scopeTables,
  'families.md': () => ({ operations: familiesTable() }),
  'limits.md': limitsTables,
}

const DOSSIER = join(root, 'docs/audit')

/** Pages with tables that follow from the sources, by file name. Each has its current text and the text that it should have. */
export const pages = Object.entries(tablesOfPages).map(([file, tablesOf]) => {
  const text = readFileSync(join(DOSSIER, file), 'utf8')
  return { file, text, expectedText: () => withBlocks(text, tablesOf()) }
})

if (import.meta.main) for (const { file, expectedText } of pages) writeFileSync(join(DOSSIER, file), expectedText())
