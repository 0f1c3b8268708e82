import type { BlockHeader } from '@sluice/rpc'
import type { QuotingError } from '../errors.ts'
import type { Quote } from '../quote/finalize.ts'

/** News for those who watch a quote, once a block at most. */
export type StreamUpdate =
  /** The first answer, or another one than before. */
  | { readonly kind: 'quote'; readonly quote: Quote }
  /** Looked at again at this block: what was told last stands. */
  | { readonly kind: 'block'; readonly block: BlockHeader }
  /** There is no answer, for a reason that another block may change. */
  | { readonly kind: 'refused'; readonly error: QuotingError; readonly block: BlockHeader | undefined }
  /** The last word: the chain cannot be read. */
  | { readonly kind: 'end'; readonly error: unknown }

export type StreamListener = (update: StreamUpdate) => void

/** True for two quotes that say the same, gas and its price apart: those move with every block. */
export function sameAnswer(a: Quote, b: Quote): boolean {
  return (
    a.amountOut === b.amountOut &&
    a.minOutput === b.minOutput &&
    a.warnings.join() === b.warnings.join() &&
    sameRoute(a.route, b.route)
  )
}

export function sameRoute(a: Quote['route'], b: Quote['route']): boolean {
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
