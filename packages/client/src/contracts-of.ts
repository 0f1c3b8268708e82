/**
 * Contracts that this version of the package knows, by chain. The list is large, so the module of `swap` imports this
 * module dynamically, when a swap starts.
 */
import { type SwapContracts, trustedListsFrom } from './contracts.ts'
import { knownContracts, knownFactories } from './known-contracts.ts'

/**
 * Returns the known contracts of a chain; undefined for unknown chains. They are constants of this package, so no
 * service can change them.
 *
 * @example
 * ```ts
 * const contracts = { ...contractsOf(1)!, pools: ['0xbebc44782c7db0a1a60cb6fe97d0b483032ff1c7'] }
 * ```
 */
export function contractsOf(chainId: number): SwapContracts | undefined {
  const includesChain = (chains: string) => chains.split(' ').includes(String(chainId))
  const addressesOf = (list: Readonly<Record<string, string>>): string[] =>
    Object.entries(list).flatMap(([address, chains]) => (includesChain(chains) ? [address] : []))
  const addressesIn = (role: keyof typeof knownContracts) => addressesOf(knownContracts[role])
  const [guard] = addressesIn('guard')
  if (guard === undefined) return undefined
  const [wrapper] = addressesIn('wrapper')
  return {
    guard,
    executors: addressesIn('executors'),
    wrapper,
    ...trustedListsFrom(addressesIn),
    infinityManagers: addressesIn('infinityManagers'),
    factories: knownFactories.flatMap(({ deployers, ...code }) =>
      addressesOf(deployers).map((deployer) => ({ ...code, deployer })),
    ),
  }
}

/**
 * Returns the known Guard of a chain; undefined for unknown chains.
 *
 * @example
 * ```ts
 * const spender = guardOf(1)
 * ```
 */
export function guardOf(chainId: number): string | undefined {
  return contractsOf(chainId)?.guard
}
