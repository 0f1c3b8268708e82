/** Computes gas limits: estimates plus a margin of 20 %. */
import { ClientError } from './errors.ts'
import type { Route } from './types.ts'

/**
 * Returns the service's gas estimate plus 20 %, rounded up. `swap` uses it only for wallets without `estimateGas`.
 *
 * @throws ClientError `BAD_ANSWER` if the estimate is not a number
 * @example
 * ```ts
 * const gas = gasLimit(route)
 * ```
 */
export function gasLimit({ gasEstimate }: Pick<Route, 'gasEstimate'>): bigint {
  if (!/^\d{1,20}$/.test(String(gasEstimate))) throw new ClientError('BAD_ANSWER', 'the gas estimate is no number')
  return withMargin(BigInt(gasEstimate))
}

/** Adds 20 % to a gas amount, rounded up. */
export function withMargin(gas: bigint): bigint {
  return (gas * 12n + 9n) / 10n
}
