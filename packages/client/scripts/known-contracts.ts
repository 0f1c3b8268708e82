/** Build step: generates `src/known-*.ts` from `deployments/` and the chain registry; a test checks that they are current. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadRegistry } from '@sluice/chains'
import { saltOf, type TrustedList, trustedListOf, trustedLists } from '@sluice/program'

type List = 'guard' | 'executors' | 'wrapper' | 'infinityManagers' | TrustedList
const LISTS: readonly List[] = ['guard', 'executors', 'wrapper', ...trustedLists, 'infinityManagers']

/** Names of PancakeSwap Infinity's pool managers in a chain's file. */
const INFINITY_MANAGERS = ['clPoolManager', 'binPoolManager']

/** Returns the source text of each module by file name. Guards have a separate small module, for pages that need only them. */
export function knownModules(): Readonly<Record<string, string>> {
  const registry = loadRegistry()
  /** Chain ids by deployer, by the JSON of the other fields of a factory. */
  const factories = new Map<string, Map<string, Set<number>>>()
  const rows = Object.fromEntries(LISTS.map((role) => [role, new Map<string, Set<number>>()]))
  for (const id of registry.supportedIds()) {
    const add = (role: List, address: string) => {
      const chains = rows[role]!.get(address.toLowerCase()) ?? new Set()
      rows[role]!.set(address.toLowerCase(), chains.add(id))
    }
    const { guard, executors } = registry.deployment(id)!
    add('guard', guard.address)
    for (const { address } of executors) add('executors', address)
    const { wrappedNative, dexes } = registry.chain(id)!
    if (wrappedNative) add('wrapper', wrappedNative.address)
    for (const { family, address, role, initCodeHash, feePpm, contracts } of dexes) {
      const list = trustedListOf(family)
      if (list) add(list, address)
      for (const name of INFINITY_MANAGERS)
        if (family === 'pancake-infinity' && contracts?.[name]) add('infinityManagers', contracts[name])
      const kind = saltOf(family)
      if (!kind || !initCodeHash || role !== 'factory') continue
      // Addresses come from public sources. A wrong address is harmless, because no pool matches it.
      const deployer = (contracts?.poolDeployer ?? address).toLowerCase()
      const code = JSON.stringify({ kind, initCodeHash: initCodeHash.toLowerCase(), feePpm })
      const deployers = factories.get(code) ?? new Map<string, Set<number>>()
      factories.set(code, deployers.set(deployer, (deployers.get(deployer) ?? new Set()).add(id)))
    }
  }
  const lines = (chainsByAddress: ReadonlyMap<string, ReadonlySet<number>>, indent: string) =>
    [...chainsByAddress].sort(byKey).map(([address, chains]) => {
      const list = [...chains].join(' ')
      // Breaks the line where Biome would.
      const isLong = indent.length + list.length > 68
      return `${indent}'${address}':${isLong ? `\n ${indent}` : ''} '${list}',`
    })
  const group = ([code, deployers]: [string, ReadonlyMap<string, ReadonlySet<number>>]) => {
    const { kind, initCodeHash, feePpm } = JSON.parse(code) as Record<string, string>
    return `  {
    kind: '${kind}',
    initCodeHash: '${initCodeHash}',${feePpm ? `\n    feePpm: ${feePpm},` : ''}
    deployers: {
${lines(deployers, '      ').join('\n')}
    },
  },`
  }
  const block = (role: List) => `  ${role}: {\n${lines(rows[role]!, '    ').join('\n')}\n  },`
  const contracts = `/** Long: data. Made from \`deployments/\` and the chain registry by the build; not edited. */
import type { PoolFactory } from './contracts.ts'

/** Chain ids by the address of a contract, in the lists of \`SwapContracts\`. */
export const knownContracts = {
${LISTS.map(block).join('\n')}
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>

/** Factories of pools by CREATE2, or their deployers, with chain ids. Factories with the same code share an entry. */
export const knownFactories = [
${[...factories].sort(byKey).map(group).join('\n')}
] as const satisfies readonly (Omit<PoolFactory, 'deployer'> & {
  readonly deployers: Readonly<Record<string, string>>
})[]
`
  const guards = `/** The Guard of every build: the same address on every chain, which follows from its code. Made by the build; not edited. */
export const knownGuards: readonly string[] = [${quotedList([...rows.guard!.keys()].sort())}]
`
  return { 'known-contracts.ts': contracts, 'known-guards.ts': guards }
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

function quotedList(list: readonly string[]): string {
  return list.map((text) => `'${text}'`).join(', ')
}

if (import.meta.main)
  for (const [name, text] of Object.entries(knownModules()))
    writeFileSync(join(import.meta.dirname, '../src', name), text)
