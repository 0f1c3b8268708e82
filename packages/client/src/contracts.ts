import { ClientError } from './errors.ts'
import { knownContracts } from './known-contracts.ts'

/** The contracts of a chain that a swap may run through, beside the pools that its route names. Addresses in any case. */
export type SwapContracts = {
  /** What is called and, for ERC-20 input, approved. */
  readonly guard: string
  /** Of all generations. */
  readonly executors: readonly string[]
  /** Wrapper of the native token; absent where the chain has none. */
  readonly wrapper?: string | undefined
  /** Pool managers of Uniswap V4. */
  readonly managers: readonly string[]
  /** Vaults of Balancer V2 and its forks. */
  readonly vaultsV2: readonly string[]
  /** Vaults of Balancer V3. */
  readonly vaultsV3: readonly string[]
}

/** The contracts of a chain as this version of the package knows them, whatever a service says; undefined for other chains. */
export function contractsOf(chainId: number): SwapContracts | undefined {
  const known = (role: keyof typeof knownContracts): string[] =>
    Object.entries(knownContracts[role]).flatMap(([address, chains]) =>
      chains.split(' ').includes(String(chainId)) ? [address] : [],
    )
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
  return { managers: [], vaultsV2: [], vaultsV3: [], ...rest, guard, executors }
}
