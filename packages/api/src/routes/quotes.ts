/** Handler of `/quotes`. */
import type { Request } from 'express'
import type { Config } from '../config.ts'
import { ApiError, errorFields } from '../errors.ts'
import { jsonObjectOf, toQueryParameters } from '../http/body.ts'
import type { RequestContext } from '../http/context.ts'
import { read } from '../requests.ts'
import type { QuotesResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'
import { bodyOfQuote, type ParsedRequest, readRequest } from '../swap/answer.ts'
import {
  checkFeeExemptKey,
  flagParameters,
  listParameters,
  quotesBody,
  refuseBlockAndProof,
  toQuoteRequest,
} from '../swap/request.ts'
import { toLoggedApiError } from '../translate.ts'

/** Returns up to 20 quotes that are all calculated at the same block. Each has its own result or error. */
export async function quotes(
  request: Request,
  chain: ServedChain,
  context: RequestContext,
  config: Config,
): Promise<QuotesResponse> {
  const { quotes } = read(quotesBody, jsonObjectOf(request))
  const feeExemptKey = request.get('x-fee-exempt-key')
  const parsedQuotes = quotes.map((fields) =>
    parseQuote(toQueryParameters(fields, { flags: flagParameters, lists: listParameters }), feeExemptKey, config),
  )
  const quoteRequests = parsedQuotes.map((parsed) =>
    parsed instanceof ApiError ? parsed : parseOrError(() => toQuoteRequest(parsed.query, chain)),
  )
  const { block, results } = await chain.liveChain.quoteAll(quoteRequests, context)
  return {
    simulationBlock: block.number,
    blockHash: block.hash,
    quotes: results.map((result, k) =>
      result.status === 'fulfilled'
        ? bodyOfQuote(parsedQuotes[k] as ParsedRequest, result.value, chain)
        : errorFields(toLoggedApiError(result.reason, context.log)),
    ),
  }
}

function parseQuote(
  parameters: Record<string, unknown>,
  feeExemptKey: string | undefined,
  config: Config,
): ParsedRequest | ApiError {
  return parseOrError(() => {
    const parsed = readRequest('from' in parameters ? 'swap' : 'quote', parameters)
    refuseBlockAndProof(parsed.query)
    checkFeeExemptKey(parsed.query.feeExemptKey ?? feeExemptKey, config.feeExemptKeyHashes)
    return parsed
  })
}

function parseOrError<T>(parse: () => T): T | ApiError {
  try {
    return parse()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
