/** Trusted contracts of a chain: the contracts known to this package, overridden by contracts of the caller. */
import { opOf, type PoolSalt, type Step, type TrustedList, trustedLists } from '@sluice/program'
import { ClientError } from './errors.ts'

/** Factory that deploys all pools with CREATE2 and the same init code, so that their addresses can be computed. */
export type PoolFactory = {
  /** Scheme of the CREATE2 salt. */
  readonly kind: PoolSalt
  /** Account that executes CREATE2: the factory, or its separate deployer. */
  readonly deployer: string
  readonly initCodeHash: string
  /** Fee of all pairs in ppm of the input; absent if each pool defines its own fee or the fee is unknown. */
  readonly feePpm?: number | undefined
}

/**
 * Contracts of a chain that a swap may use in addition to its pools. Addresses are case-insensitive. `managers` are the
 * pool managers of Uniswap V4; `vaultsV2` and `vaultsV3` are the vaults of Balancer and its forks.
 */
export type SwapContracts = Readonly<Record<TrustedList, readonly string[]>> & {
  /** Contract that transactions call. ERC-20 input must be approved for it. */
  readonly guard: string
  /** Executors of all versions. */
  readonly executors: readonly string[]
  /** Wrapper of the native token; absent if the chain has none. */
  readonly wrapper?: string | undefined
  /** Factories whose pools are proven by their CREATE2 addresses. */
  readonly factories: readonly PoolFactory[]
  /** Pool managers of PancakeSwap Infinity. */
  readonly infinityManagers?: readonly string[] | undefined
  /** Pools, vaults and hooks that the caller accepts without a proof: addresses or pool ids. */
  readonly pools?: readonly string[] | undefined
}

/**
 * Merges the known contracts with the caller's contracts. For each role, the caller's contracts replace the known ones.
 *
 * @param defaults - contracts of the chain known to this package, if any
 * @throws ClientError `UNSAFE` if the Guard or the Executors are unknown, because they must not come from the service
 */
export function trustedContracts(
  chainId: number,
  callerContracts: Partial<SwapContracts> = {},
  defaults: SwapContracts | undefined = undefined,
): SwapContracts {
  const overrides = Object.fromEntries(Object.entries(callerContracts).filter(([, value]) => value !== undefined))
  const { guard, executors, ...knownFields } = { ...defaults, ...overrides } as Partial<SwapContracts>
  if (!guard || !executors?.length)
    throw new ClientError(
      'UNSAFE',
      `the Guard and Executors of chain ${chainId} are not known to this version; name them by \`contracts\``,
    )
  return { ...trustedListsFrom(() => []), factories: [], ...knownFields, guard, executors }
}

/** Builds the record of trusted lists from a function that returns one list. */
export function trustedListsFrom(
  contractsIn: (list: TrustedList) => readonly string[],
): Readonly<Record<TrustedList, readonly string[]>> {
  return Object.fromEntries(trustedLists.map((list) => [list, contractsIn(list)])) as Record<TrustedList, string[]>
}

/**
 * Returns the trusted singletons of an operation; empty if its pools are not in a singleton.
 *
 * @example
 * ```ts
 * const managers = singletonsFor('uniswap-v4', contractsOf(1)!)
 * ```
 */
export function singletonsFor(op: Step['op'], contracts: SwapContracts): readonly string[] {
  const list = opOf({ op }).trustedIn as TrustedList | undefined
  return list ? contracts[list] : []
}
