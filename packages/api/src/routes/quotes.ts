/** Handler of `/quotes`. */
import type { Request } from 'express'
import type { Config } from '../config.ts'
import { ApiError, errorFields } from '../errors.ts'
import { bodyOf, parametersIn } from '../http/body.ts'
import type { RequestContext } from '../http/context.ts'
import { read } from '../requests.ts'
import type { QuotesResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'
import { bodyOfQuote, readWish, type Wish } from '../swap/answer.ts'
import { checkFeeExemptKey, listParameters, quotesBody, refusePast, toQuoteRequest } from '../swap/request.ts'
import { toApiError } from '../translate.ts'

/** Returns up to 20 quotes of one block, each with its own result or error. */
export async function quotes(
  request: Request,
  chain: ServedChain,
  context: RequestContext,
  config: Config,
): Promise<QuotesResponse> {
  const { quotes } = read(quotesBody, bodyOf(request))
  const key = request.get('x-fee-exempt-key')
  const wishes = quotes.map((fields) => wishOf(parametersIn(fields, listParameters), key, config))
  const wanted = wishes.map((wish) =>
    wish instanceof ApiError ? wish : meant(() => toQuoteRequest(wish.query, chain)),
  )
  const { block, results } = await chain.live.quoteAll(wanted, context)
  return {
    simulationBlock: block.number,
    blockHash: block.hash,
    quotes: results.map((result, k) =>
      result.status === 'fulfilled'
        ? bodyOfQuote(wishes[k] as Wish, result.value, chain)
        : errorFields(toApiError(result.reason)),
    ),
  }
}

function wishOf(parameters: Record<string, unknown>, key: string | undefined, config: Config): Wish | ApiError {
  return meant(() => {
    const wish = readWish('from' in parameters ? 'swap' : 'quote', parameters)
    refusePast(wish.query)
    checkFeeExemptKey(wish.query.feeExemptKey ?? key, config.feeExemptKeyHashes)
    return wish
  })
}

function meant<T>(reading: () => T): T | ApiError {
  try {
    return reading()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
