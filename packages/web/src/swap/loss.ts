/** Estimates the loss of a swap at current prices. Prices are floats, so the results are for display only. */
import { usdOf } from '../format/amount.ts'
import type { PageToken } from '../service/tokens.ts'
import type { ShownQuote } from './use-quote.ts'

/** Loss in percent above which the page asks for confirmation. */
const HIGH_LOSS_PERCENT = 5

export type Loss = {
  /** Percent of the input's value; negative for a gain. */
  readonly percent: number
  /** Undefined if only the price impact is known. */
  readonly usd: number | undefined
  readonly isHigh: boolean
}

/** The two tokens of an order, and their prices in USD per whole token. */
type PricedPair = {
  readonly src: PageToken | undefined
  readonly dst: PageToken | undefined
  readonly priceOf: (token: PageToken | undefined) => number | null | undefined
}

/** Returns the loss between input and output at current prices, or the price impact if a price is missing. */
export function lossOf(quote: ShownQuote, { src, dst, priceOf }: PricedPair): Loss | undefined {
  const [srcPrice, dstPrice] = [priceOf(src), priceOf(dst)]
  if (src && dst && typeof srcPrice === 'number' && typeof dstPrice === 'number') {
    const paidUsd = usdOf(quote.fromAmount, src.decimals, srcPrice)
    const usd = paidUsd - usdOf(quote.toAmount, dst.decimals, dstPrice)
    if (paidUsd > 0) return toLoss((usd / paidUsd) * 100, usd)
  }
  return typeof quote.priceImpact === 'number' ? toLoss(quote.priceImpact, undefined) : undefined
}

/** Returns the USD value of the output; undefined without a price. */
export function outputUsdOf(quote: ShownQuote, { dst, priceOf }: PricedPair): number | undefined {
  const price = priceOf(dst)
  return dst && typeof price === 'number' ? usdOf(quote.toAmount, dst.decimals, price) : undefined
}

const toLoss = (percent: number, usd: number | undefined): Loss => ({
  percent,
  usd,
  isHigh: percent > HIGH_LOSS_PERCENT,
})
