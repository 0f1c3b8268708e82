import type { Address } from '@sluice/chains'
import type { ExactOutputRequest, RouteRequest } from '@sluice/routing'
import type { Quote } from './finalize.ts'
import type { SwapTerms } from './try-route.ts'

/** A quote that was made, with what it was made by. */
export type Made = {
  readonly quote: Quote
  readonly from: Address
  readonly sought: RouteRequest | ExactOutputRequest
  /** Place of the quote's route among the best and its rivals, by what simulating them all has shown. */
  readonly rival: number
  readonly terms: SwapTerms
  /** True where it ended otherwise with a probe in the sender's place. */
  readonly asSent: boolean
}
