/** The use case in the words of the interface: parameters in, the body of an answer out. */
import type { Quote, Work } from '@sluice/quoting'
import type { QuoteResponse, SwapResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'
import { type QuoteQuery, readQuote, readSwap, type SwapQuery, toQuoteRequest } from './request.ts'
import { quoteResponse, swapResponse } from './response.ts'

export type QuotedChain = Pick<ServedChain, 'chain' | 'deployment' | 'routerAddress' | 'live'>

/**
 * A wish that was read: with a transaction in its answer, or without.
 */
export type Wish =
  | { readonly kind: 'swap'; readonly query: SwapQuery }
  | { readonly kind: 'quote'; readonly query: QuoteQuery }

/** @throws ApiError for the first parameter that is wrong */
export function readWish(kind: Wish['kind'], parameters: object): Wish {
  return kind === 'swap' ? { kind, query: readSwap(parameters) } : { kind, query: readQuote(parameters) }
}

/** @throws what quoting throws */
export async function answerWish(wish: Wish, chain: QuotedChain, work: Work): Promise<SwapResponse | QuoteResponse> {
  const request = toQuoteRequest(wish.query, chain)
  const { block } = wish.query
  const quote = block === undefined ? chain.live.quote(request, work) : chain.live.quoteAtBlock(block, request, work)
  return bodyOfQuote(wish, await quote, chain)
}

export function bodyOfQuote(wish: Wish, quote: Quote, chain: QuotedChain): SwapResponse | QuoteResponse {
  return wish.kind === 'swap' ? swapResponse(wish.query, quote, chain) : quoteResponse(wish.query, quote, chain)
}
