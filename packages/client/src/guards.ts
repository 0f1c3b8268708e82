import { chainsByGuard } from './chains-by-guard.ts'
import { ClientError } from './errors.ts'

const guards = new Map(
  Object.entries(chainsByGuard).flatMap(([address, chains]) =>
    chains.split(' ').map((id) => [Number(id), address] as const),
  ),
)

/** The Guard of a chain as this version of the package knows it, whatever a service says; undefined for other chains. */
export function guardOf(chainId: number): string | undefined {
  return guards.get(chainId)
}

/**
 * The Guard to trust: the one the caller names, else the one this package knows.
 *
 * @throws ClientError `UNSAFE` for a chain of which neither knows it: a service's word alone is not enough to approve
 */
export function trustedGuard(chainId: number, named: string | undefined): string {
  const guard = named ?? guardOf(chainId)
  if (!guard)
    throw new ClientError('UNSAFE', `the Guard of chain ${chainId} is not known to this version; name it by \`guard\``)
  return guard
}
