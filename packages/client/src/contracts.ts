import { opOf, type PoolSalt, type Step, type TrustedList, trustedLists } from '@sluice/program'
import { ClientError } from './errors.ts'

/** A contract that makes pools by CREATE2, with code that is the same for all of them. */
export type PoolFactory = {
  /** Form of the salt that is hashed. */
  readonly kind: PoolSalt
  /** The factory, or the deployer that it makes pools through. */
  readonly deployer: string
  readonly initCodeHash: string
  /** Fee of all its pairs, in parts per million of the input; absent where pools state their own. */
  readonly feePpm?: number | undefined
}

/**
 * The contracts of a chain that a swap may run through, beside the pools that its route names. Addresses in any case. `managers` are
 * the pool managers of Uniswap V4, `vaultsV2` and `vaultsV3` those of Balancer and its forks, the others by their names.
 */
export type SwapContracts = Readonly<Record<TrustedList, readonly string[]>> & {
  /** The contract called and, for ERC-20 input, approved. */
  readonly guard: string
  /** Executors of all generations. */
  readonly executors: readonly string[]
  /** Wrapper of the native token; absent where the chain has none. */
  readonly wrapper?: string | undefined
  /** Factories that pools are known by. */
  readonly factories: readonly PoolFactory[]
  /** Managers of PancakeSwap Infinity's vaults. */
  readonly infinityManagers?: readonly string[] | undefined
  /** Addresses and ids that the caller accepts without a proof: pools, vaults that keep their tokens, hooks. */
  readonly pools?: readonly string[] | undefined
}

/**
 * Merges the contracts that the caller names with the known ones: the caller's win, role by role.
 *
 * @param known - the chain's contracts as this package knows them; undefined for a chain that it does not know
 *
 * @throws ClientError `UNSAFE` for a chain of which neither knows the Guard and its Executors: a service's word is not enough
 */
export function trustedContracts(
  chainId: number,
  named: Partial<SwapContracts> = {},
  known: SwapContracts | undefined = undefined,
): SwapContracts {
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined))
  const { guard, executors, ...rest } = { ...known, ...given } as Partial<SwapContracts>
  if (!guard || !executors?.length)
    throw new ClientError(
      'UNSAFE',
      `the Guard and Executors of chain ${chainId} are not known to this version; name them by \`contracts\``,
    )
  return { ...listed(() => []), factories: [], ...rest, guard, executors }
}

/** Builds every list of trusted contracts. */
export function listed(
  contractsIn: (list: TrustedList) => readonly string[],
): Readonly<Record<TrustedList, readonly string[]>> {
  return Object.fromEntries(trustedLists.map((list) => [list, contractsIn(list)])) as Record<TrustedList, string[]>
}

/**
 * Contracts that a step of this operation may name as the holder of its pools: none for one that this version does not know.
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
