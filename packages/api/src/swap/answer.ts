/** Answers quote and swap requests: query parameters in, response body out. */
import type { Quote, Work } from '@sluice/quoting'
import type { QuoteResponse, SwapResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'
import { type QuoteQuery, readQuote, readSwap, type SwapQuery, toQuoteRequest } from './request.ts'
import { quoteResponse, swapResponse } from './response.ts'

/** Parts of a served chain that quotes need. */
export type QuotedChain = Pick<ServedChain, 'chain' | 'deployment' | 'routerAddress' | 'live'>

/** A parsed request: `swap` (returns a transaction) or `quote` (does not). */
export type Wish =
  | { readonly kind: 'swap'; readonly query: SwapQuery }
  | { readonly kind: 'quote'; readonly query: QuoteQuery }

/** Parses the parameters of a request. @throws ApiError for the first invalid parameter */
export function readWish(kind: Wish['kind'], parameters: object): Wish {
  return kind === 'swap' ? { kind, query: readSwap(parameters) } : { kind, query: readQuote(parameters) }
}

/**
 * Quotes a parsed request and returns the response body.
 *
 * @throws ApiError for an invalid account, else any error that `toApiError` translates
 */
export async function answerWish(wish: Wish, chain: QuotedChain, work: Work): Promise<SwapResponse | QuoteResponse> {
  const request = toQuoteRequest(wish.query, chain)
  const { block } = wish.query
  const quote = block === undefined ? chain.live.quote(request, work) : chain.live.quoteAtBlock(block, request, work)
  return bodyOfQuote(wish, await quote, chain)
}

/** Converts a quote to the response body of its request. */
export function bodyOfQuote(wish: Wish, quote: Quote, chain: QuotedChain): SwapResponse | QuoteResponse {
  return wish.kind === 'swap' ? swapResponse(wish.query, quote, chain) : quoteResponse(wish.query, quote, chain)
}
