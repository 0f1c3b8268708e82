/** The contracts that this version of the package knows, by chain. Large: `swap` loads it when it first needs it. */
import { listed, type SwapContracts } from './contracts.ts'
import { knownContracts, knownFactories } from './known-contracts.ts'

/**
 * The contracts of a chain as this version of the package knows them, whatever a service says; undefined for other chains.
 *
 * @example
 * ```ts
 * const contracts = { ...contractsOf(1)!, pools: ['0xbebc44782c7db0a1a60cb6fe97d0b483032ff1c7'] }
 * ```
 */
export function contractsOf(chainId: number): SwapContracts | undefined {
  const isIn = (chains: string) => chains.split(' ').includes(String(chainId))
  const known = (role: keyof typeof knownContracts): string[] =>
    Object.entries(knownContracts[role]).flatMap(([address, chains]) => (isIn(chains) ? [address] : []))
  const [guard] = known('guard')
  if (guard === undefined) return undefined
  const [wrapper] = known('wrapper')
  return {
    guard,
    executors: known('executors'),
    wrapper,
    ...listed(known),
    infinityManagers: known('infinityManagers'),
    factories: knownFactories.filter(({ chains }) => isIn(chains)),
  }
}

/**
 * The Guard of a chain as this version of the package knows it.
 *
 * @example
 * ```ts
 * const spender = guardOf(1)
 * ```
 */
export function guardOf(chainId: number): string | undefined {
  return contractsOf(chainId)?.guard
}
