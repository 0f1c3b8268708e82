import { ClientError } from './errors.ts'
import type { Route } from './types.ts'

/**
 * The service's estimate plus 20 %, rounded up. `swap` asks the wallet's own node instead.
 *
 * @throws ClientError `BAD_ANSWER` for an estimate that is no number
 * @example
 * ```ts
 * const gas = gasLimit(route)
 * ```
 */
export function gasLimit({ gasEstimate }: Pick<Route, 'gasEstimate'>): bigint {
  if (!/^\d{1,20}$/.test(String(gasEstimate))) throw new ClientError('BAD_ANSWER', 'the gas estimate is no number')
  return withMargin(BigInt(gasEstimate))
}

/** Gas plus 20 %, rounded up. */
export function withMargin(gas: bigint): bigint {
  return (gas * 12n + 9n) / 10n
}
