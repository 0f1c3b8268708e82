/** Answers quote and swap requests: converts query parameters to a response body. */
import type { QuotingContext, SwapQuote } from '@sluice/quoting'
import type { QuoteResponse, SwapResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'
import { type QuoteQuery, readQuote, readSwap, type SwapQuery, toQuoteRequest } from './request.ts'
import { quoteResponse, swapResponse } from './response.ts'

/** The parts of a served chain that are needed for a quote. */
export type QuotedChain = Pick<ServedChain, 'chain' | 'deployment' | 'routerAddress' | 'liveChain'>

/** A parsed request. The response has a transaction for `swap`, and none for `quote`. */
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
 * @throws ApiError for an invalid sender or recipient, or an error that `toApiError` translates
 */
export async function answerRequest(
  parsed: ParsedRequest,
  chain: QuotedChain,
  quotingContext: QuotingContext,
): Promise<SwapResponse | QuoteResponse> {
  const request = toQuoteRequest(parsed.query, chain)
  const { block } = parsed.query
  const quote =
    block === undefined
      ? chain.liveChain.quote(request, quotingContext)
      : chain.liveChain.quoteAtBlock(block, request, quotingContext)
  return bodyOfQuote(parsed, await quote, chain)
}

export function bodyOfQuote(parsed: ParsedRequest, quote: SwapQuote, chain: QuotedChain): SwapResponse | QuoteResponse {
  return parsed.kind === 'swap' ? swapResponse(parsed.query, quote, chain) : quoteResponse(parsed.query, quote, chain)
}
