/** Answers quote and swap requests: query parameters in, response body out. */
import type { SwapQuote, Work } from '@sluice/quoting'
import type { QuoteResponse, SwapResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'
import { type QuoteQuery, readQuote, readSwap, type SwapQuery, toQuoteRequest } from './request.ts'
import { quoteResponse, swapResponse } from './response.ts'

/** Parts of a served chain that quotes need. */
export type QuotedChain = Pick<ServedChain, 'chain' | 'deployment' | 'routerAddress' | 'liveChain'>

/** A parsed request: `swap` (returns a transaction) or `quote` (does not). */
export type ParsedRequest =
  | { readonly kind: 'swap'; readonly query: SwapQuery }
  | { readonly kind: 'quote'; readonly query: QuoteQuery }

/** Parses the parameters of a request. @throws ApiError for the first invalid parameter */
export function readRequest(kind: ParsedRequest['kind'], parameters: object): ParsedRequest {
  return kind === 'swap' ? { kind, query: readSwap(parameters) } : { kind, query: readQuote(parameters) }
}

/**
 * Quotes a parsed request and returns the response body.
 *
 * @throws ApiError for an invalid account, else any error that `toApiError` translates
 */
export async function answerRequest(
  parsed: ParsedRequest,
  chain: QuotedChain,
  work: Work,
): Promise<SwapResponse | QuoteResponse> {
  const request = toQuoteRequest(parsed.query, chain)
  const { block } = parsed.query
  const quote =
    block === undefined ? chain.liveChain.quote(request, work) : chain.liveChain.quoteAtBlock(block, request, work)
  return bodyOfQuote(parsed, await quote, chain)
}

/** Converts a quote to the response body of its request. */
export function bodyOfQuote(parsed: ParsedRequest, quote: SwapQuote, chain: QuotedChain): SwapResponse | QuoteResponse {
  return parsed.kind === 'swap' ? swapResponse(parsed.query, quote, chain) : quoteResponse(parsed.query, quote, chain)
}
