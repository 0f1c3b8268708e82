import { opOf, type Step } from '@sluice/program'
import { ClientError } from './errors.ts'
import { knownContracts, knownFactories } from './known-contracts.ts'

/** A contract that makes pools by CREATE2, with code that is the same for all of them. */
export type PoolFactory = {
  /** Form of the salt that is hashed: both tokens packed, as Uniswap V2 does, or both and the fee in words, as Uniswap V3 does. */
  readonly kind: 'uniswap-v2' | 'uniswap-v3'
  /** The factory, or the deployer that it makes pools through. */
  readonly deployer: string
  readonly initCodeHash: string
}

/** The contracts of a chain that a swap may run through, beside the pools that its route names. Addresses in any case. */
export type SwapContracts = {
  /** The contract called and, for ERC-20 input, approved. */
  readonly guard: string
  /** Executors of all generations. */
  readonly executors: readonly string[]
  /** Wrapper of the native token; absent where the chain has none. */
  readonly wrapper?: string | undefined
  /** Pool managers of Uniswap V4. */
  readonly managers: readonly string[]
  /** Vaults of Balancer V2 and its forks. */
  readonly vaultsV2: readonly string[]
  /** Vaults of Balancer V3. */
  readonly vaultsV3: readonly string[]
  /** Vaults of PancakeSwap Infinity. */
  readonly infinityVaults: readonly string[]
  /** Cores of Ekubo. */
  readonly ekuboCores: readonly string[]
  /** Factories that pools are known by; a pool of none of these is shown as not known. */
  readonly factories: readonly PoolFactory[]
}

/** The contracts of a chain as this version of the package knows them, whatever a service says; undefined for other chains. */
export function contractsOf(chainId: number): SwapContracts | undefined {
  const isIn = (chains: string) => chains.split(' ').includes(String(chainId))
  const known = (role: keyof typeof knownContracts): string[] =>
    Object.entries(knownContracts[role]).flatMap(([address, chains]) => (isIn(chains) ? [address] : []))
  const [guard] = known('guard')
  if (guard === undefined) return undefined
  const [wrapper] = known('wrapper')
  return {
    guard,
    executors: known('executor'),
    wrapper,
    managers: known('manager'),
    vaultsV2: known('vaultV2'),
    vaultsV3: known('vaultV3'),
    infinityVaults: known('infinityVault'),
    ekuboCores: known('ekuboCore'),
    factories: knownFactories.filter(({ chains }) => isIn(chains)),
  }
}

/** The Guard of a chain as this version of the package knows it. */
export function guardOf(chainId: number): string | undefined {
  return contractsOf(chainId)?.guard
}

/**
 * The contracts to trust: those that the caller names, and for each role that it does not name those that this package knows.
 *
 * @throws ClientError `UNSAFE` for a chain of which neither knows the Guard and its Executors: a service's word is not enough
 */
export function trustedContracts(chainId: number, named: Partial<SwapContracts> = {}): SwapContracts {
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined))
  const { guard, executors, ...rest } = { ...contractsOf(chainId), ...given } as Partial<SwapContracts>
  if (!guard || !executors?.length)
    throw new ClientError(
      'UNSAFE',
      `the Guard and Executors of chain ${chainId} are not known to this version; name them by \`contracts\``,
    )
  const none = { managers: [], vaultsV2: [], vaultsV3: [], infinityVaults: [], ekuboCores: [], factories: [] }
  return { ...none, ...rest, guard, executors }
}

/** Contracts that a step of this operation may name as the holder of its pools: none for one that this version does not know. */
export function singletonsFor(op: Step['op'], contracts: SwapContracts): readonly string[] {
  const list = opOf({ op }).trustedIn
  return list ? contracts[list] : []
}
