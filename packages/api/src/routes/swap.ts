/** Handlers of `/aggregator` and `/quote`. */
import type { Request } from 'express'
import type { Config } from '../config.ts'
import type { ApiErrorCode } from '../error-table.ts'
import type { RequestContext } from '../http/context.ts'
import type { QuoteResponse, SwapNoRoute, SwapResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'
import { answerRequest, type ParsedRequest, readRequest } from '../swap/answer.ts'
import { checkFeeExemptKey } from '../swap/request.ts'
import { noRouteResponse } from '../swap/response.ts'
import { toApiError } from '../translate.ts'

/** Error codes that error version A (`ERROR_VERSION`) answers with status 200 and a body without `tx`. */
const noRouteCodes: ReadonlySet<ApiErrorCode> = new Set([
  'UNKNOWN_TOKEN',
  'NO_ROUTE',
  'AMOUNT_TOO_SMALL',
  'INSUFFICIENT_LIQUIDITY',
  'ROUTE_REVERTED',
])

/** Creates a handler that returns the best route. @param kind - `swap` with a transaction, `quote` without */
export function routeEndpoint(kind: ParsedRequest['kind']) {
  return async (
    request: Request,
    chain: ServedChain,
    context: RequestContext,
    config: Config,
  ): Promise<SwapResponse | QuoteResponse | SwapNoRoute> => {
    const parsed = readRequest(kind, request.query)
    checkFeeExemptKey(parsed.query.feeExemptKey ?? request.get('x-fee-exempt-key'), config.feeExemptKeyHashes)
    try {
      return await answerRequest(parsed, chain, context)
    } catch (thrown) {
      const error = toApiError(thrown, context.abortReason)
      if (config.errorVersion !== 'A' || !noRouteCodes.has(error.code)) throw thrown
      context.errorCode = error.code
      return noRouteResponse(parsed.query, error.details.block as number)
    }
  }
}
