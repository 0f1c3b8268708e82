/**
 * The record of a quote, for the quote log and for the sampler that measures how quotes hold in later blocks (drift).
 */
import type { Address } from '@sluice/chains'
import type { ExactOutputRequest, RouteRequest } from '@sluice/routing'
import type { SwapQuote } from './finalize.ts'
import type { EncodeTerms } from './try-route.ts'

/** A successful quote, with the inputs that reproduce it. */
export type QuoteRecord = {
  readonly quote: SwapQuote
  readonly from: Address
  readonly searchRequest: RouteRequest | ExactOutputRequest
  /** Index of the quote's route among the simulated routes; 0 is the route that the search ranked first. */
  readonly alternativeIndex: number
  readonly terms: EncodeTerms
  /**
   * True if the swap behaves differently when the sender's address has code, as in a simulation with a probe (a
   * contract that measures balances). Such a swap is simulated without the probe.
   */
  readonly dependsOnSenderCode: boolean
  /** True if the swap was simulated with the sender's own balance of the input, which the outcome may depend on. */
  readonly usesOwnBalance: boolean
}
