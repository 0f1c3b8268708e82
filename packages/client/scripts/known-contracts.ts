/** Writes src/known-contracts.ts from `deployments/` and the chain registry; part of the build, and a test holds the committed file to it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadRegistry } from '@sluice/chains'

const ROLES = ['guard', 'executor', 'wrapper', 'manager', 'vaultV2', 'vaultV3'] as const
type Role = (typeof ROLES)[number]
/** Families whose pools live inside one contract, which a step names beside the pool. */
const SINGLETONS: Readonly<Record<string, Role>> = {
  'uniswap-v4': 'manager',
  'balancer-v2': 'vaultV2',
  'balancer-v3': 'vaultV3',
}

/** The module's text. */
export function knownContractsModule(): string {
  const registry = loadRegistry()
  const rows = Object.fromEntries(ROLES.map((role) => [role, new Map<string, Set<number>>()]))
  for (const id of registry.supportedIds()) {
    const add = (role: Role, address: string) => {
      const chains = rows[role]!.get(address.toLowerCase()) ?? new Set()
      rows[role]!.set(address.toLowerCase(), chains.add(id))
    }
    const { guard, executors } = registry.deployment(id)!
    add('guard', guard.address)
    for (const { address } of executors) add('executor', address)
    const { wrappedNative, dexes } = registry.chain(id)!
    if (wrappedNative) add('wrapper', wrappedNative.address)
    for (const { family, address } of dexes) if (SINGLETONS[family]) add(SINGLETONS[family], address)
  }
  const line = ([address, chains]: [string, Set<number>]) => {
    const list = [...chains].join(' ')
    // As Biome breaks lines.
    return `    '${address}':${list.length > 64 ? '\n     ' : ''} '${list}',`
  }
  const block = (role: Role) => {
    const sorted = [...rows[role]!].sort(([a], [b]) => (a < b ? -1 : 1))
    return `  ${role}: {\n${sorted.map(line).join('\n')}\n  },`
  }
  return `/**
 * Made from \`deployments/\` and the chain registry by the build; not edited. Chain ids by the address of a contract: Guards,
 * Executors of all generations, wrappers of the native token, pool managers of Uniswap V4, vaults of Balancer V2 and V3.
 */
export const knownContracts = {
${ROLES.map(block).join('\n')}
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>
`
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '../src/known-contracts.ts'), knownContractsModule())
