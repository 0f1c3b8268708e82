/** Proves that the transaction of a route does what was requested, with the contracts known to this package. */
import { trustedContracts } from './contracts.ts'
import { contractsOf } from './contracts-of.ts'
import { type Proven, proveSwap, type SwapTerms } from './prove-swap.ts'
import type { Route, RouteParameters } from './types.ts'

/**
 * Proves that a route's transaction does exactly what was requested. Checks tokens, amounts, sender, slippage, fee,
 * value, deadline, mode, every contract that it uses, and `calls`. Without `minToAmount` (or `maxFromAmount` for an
 * exact output), the quoted amount itself is not verified.
 *
 * @throws ClientError `UNSAFE` with the first mismatch, or with all unproven fields
 * @example
 * ```ts
 * const route = await sluice.getSwap(1, request)
 * const { minOutput } = verify(1, route, request, { minToAmount: 2_450_000_000n })
 * ```
 */
export function verify(chainId: number, route: Route, request: RouteParameters, terms: SwapTerms = {}): Proven {
  const { contracts } = Object(terms) as SwapTerms
  return proveSwap(trustedContracts(chainId, contracts, contractsOf(chainId)), route, request, terms)
}
