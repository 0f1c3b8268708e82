/** `verify`: the proof of a swap for callers that hold a route, with every contract that the package knows. */
import { trustedContracts } from './contracts.ts'
import { contractsOf } from './contracts-of.ts'
import { type Proven, proveSwap, type SwapTerms } from './prove-swap.ts'
import type { Route, RouteParameters } from './types.ts'

/**
 * Proves that a route's transaction does what was requested and nothing else: tokens, amounts, sender, slippage, fee, value,
 * deadline, mode, every contract it runs through, and `calls`. Without `minToAmount` (or `maxFromAmount` for an exact output),
 * the amount that the service chose is its own word.
 *
 * @throws ClientError `UNSAFE` naming what differs, or every field without a proof
 * @example
 * ```ts
 * const route = await sluice.getSwap(1, request)
 * const { minOutput } = verify(1, route, request, { minToAmount: 2_450_000_000n })
 * ```
 */
export function verify(chainId: number, route: Route, asked: RouteParameters, terms: SwapTerms = {}): Proven {
  const { contracts } = Object(terms) as SwapTerms
  return proveSwap(trustedContracts(chainId, contracts, contractsOf(chainId)), route, asked, terms)
}
