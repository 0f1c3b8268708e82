/** Value that a swap loses by today's prices, as far as they are known. Prices are floats: nothing here is sent anywhere. */
import { plain } from '../format/amount.ts'
import type { Token } from '../service/tokens.ts'
import type { Quote } from './use-quote.ts'

/** Percent of loss from which on a swap asks for a confirmation. */
const BRAKE_PERCENT = 5

export type Loss = {
  /** Percent of what is paid; negative for a gain. */
  readonly percent: number
  /** Undefined where only the price impact is known. */
  readonly usd: number | undefined
  readonly isHigh: boolean
}

export function usdOf(base: string | bigint, token: Token, price: number): number {
  return Number(plain(base, token.decimals)) * price
}

type Ends = {
  readonly src: Token | undefined
  readonly dst: Token | undefined
  readonly priceOf: (token: Token | undefined) => number | null | undefined
}

/** Loss between input and output by their prices; by the price impact where one of them has no price. */
export function lossOf(quote: Quote, { src, dst, priceOf }: Ends): Loss | undefined {
  const [srcPrice, dstPrice] = [priceOf(src), priceOf(dst)]
  if (src && dst && typeof srcPrice === 'number' && typeof dstPrice === 'number') {
    const paid = usdOf(quote.fromAmount, src, srcPrice)
    const usd = paid - usdOf(quote.toAmount, dst, dstPrice)
    if (paid > 0) return lossBy((usd / paid) * 100, usd)
  }
  return typeof quote.priceImpact === 'number' ? lossBy(quote.priceImpact, undefined) : undefined
}

/** USD of the output; undefined without a price. */
export function worthOf(quote: Quote, { dst, priceOf }: Ends): number | undefined {
  const price = priceOf(dst)
  return dst && typeof price === 'number' ? usdOf(quote.toAmount, dst, price) : undefined
}

const lossBy = (percent: number, usd: number | undefined): Loss => ({ percent, usd, isHigh: percent > BRAKE_PERCENT })
