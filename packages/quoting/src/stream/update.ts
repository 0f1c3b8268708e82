/** The updates of a quote stream, and their comparison. */
import type { BlockHeader } from '@sluice/rpc'
import type { QuotingError } from '../errors.ts'
import type { SwapQuote } from '../quote/finalize.ts'

/** An update of a watched quote, at most one per block. */
export type StreamUpdate =
  /** The first quote, or a quote that differs from the previous quote. */
  | { readonly kind: 'quote'; readonly quote: SwapQuote }
  /** The previous update still holds at this block. */
  | { readonly kind: 'block'; readonly block: BlockHeader }
  /** No quote at this block; a later block may have one. */
  | { readonly kind: 'refused'; readonly error: QuotingError; readonly block: BlockHeader | undefined }
  /** The stream ends because the chain cannot be read. */
  | { readonly kind: 'end'; readonly error: unknown }

export type StreamListener = (update: StreamUpdate) => void

/** Returns true if two quotes differ at most in gas and gas price, which change with every block. */
export function isSameQuote(a: SwapQuote, b: SwapQuote): boolean {
  return (
    a.amountOut === b.amountOut &&
    a.minOutput === b.minOutput &&
    a.warnings.join() === b.warnings.join() &&
    isSameRoute(a.route, b.route)
  )
}

export function isSameRoute(a: SwapQuote['route'], b: SwapQuote['route']): boolean {
  return (
    a.amountIn === b.amountIn &&
    a.amountOut === b.amountOut &&
    a.legs.length === b.legs.length &&
    a.legs.every((leg, k) => {
      const other = b.legs[k]!
      return (
        leg.pool.id === other.pool.id &&
        leg.tokenIn === other.tokenIn &&
        leg.tokenOut === other.tokenOut &&
        leg.amountIn === other.amountIn &&
        leg.amountOut === other.amountOut
      )
    })
  )
}
