/** Writes src/known-contracts.ts from `deployments/` and the chain registry; part of the build, and a test holds the committed file to it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadRegistry } from '@sluice/chains'

const ROLES = ['guard', 'executor', 'wrapper', 'manager', 'vaultV2', 'vaultV3', 'infinityVault', 'ekuboCore'] as const
type Role = (typeof ROLES)[number]
/** Families whose pools live inside one contract, which a step names beside the pool. */
const SINGLETONS: Readonly<Record<string, Role>> = {
  'uniswap-v4': 'manager',
  'balancer-v2': 'vaultV2',
  'balancer-v3': 'vaultV3',
  'pancake-infinity': 'infinityVault',
  ekubo: 'ekuboCore',
}
/** Families whose pools' addresses follow from factory, code and tokens, by how their salt is made. */
const SALTS: Readonly<Record<string, 'uniswap-v2' | 'uniswap-v3'>> = {
  'uniswap-v2': 'uniswap-v2',
  'uniswap-v3': 'uniswap-v3',
  'pancake-v3': 'uniswap-v3',
}

/** The module's text. */
export function knownContractsModule(): string {
  const registry = loadRegistry()
  const factories = new Map<string, readonly number[]>()
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
    for (const { family, address, role, initCodeHash, contracts } of dexes) {
      if (SINGLETONS[family]) add(SINGLETONS[family], address)
      if (!SALTS[family] || !initCodeHash || role !== 'factory') continue
      // Addresses are claims of public sources: a wrong one makes no pool known.
      const deployer = (contracts?.poolDeployer ?? address).toLowerCase()
      const key = JSON.stringify({ kind: SALTS[family], deployer, initCodeHash: initCodeHash.toLowerCase() })
      factories.set(key, [...(factories.get(key) ?? []), id])
    }
  }
  const line = ([address, chains]: [string, Set<number>]) => {
    const list = [...chains].join(' ')
    // As Biome breaks lines.
    return `    '${address}':${list.length > 64 ? '\n     ' : ''} '${list}',`
  }
  const factoryLine = ([key, chains]: [string, readonly number[]]) => {
    const { kind, deployer, initCodeHash } = JSON.parse(key) as Record<string, string>
    return `  {
    kind: '${kind}',
    deployer: '${deployer}',
    initCodeHash: '${initCodeHash}',
    chains: '${chains.join(' ')}',
  },`
  }
  const block = (role: Role) => {
    const sorted = [...rows[role]!].sort(([a], [b]) => (a < b ? -1 : 1))
    return `  ${role}: {\n${sorted.map(line).join('\n')}\n  },`
  }
  return `/**
 * Long: data. Made from \`deployments/\` and the chain registry by the build; not edited. Chain ids by the address of a contract: Guards,
 * Executors of all generations, wrappers of the native token, pool managers of Uniswap V4, vaults of Balancer V2 and V3 and of
 * PancakeSwap Infinity, cores of Ekubo.
 */
export const knownContracts = {
${ROLES.map(block).join('\n')}
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>

/** Factories of pools by CREATE2, or the deployers that they make pools through, with chain ids. */
export const knownFactories = [
${[...factories]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(factoryLine)
  .join('\n')}
] as const
`
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '../src/known-contracts.ts'), knownContractsModule())
