import type { Request } from 'express'
import type { ChainService } from '../chain/chain-service.ts'
import type { Config } from '../config.ts'
import type { ApiErrorCode } from '../error-table.ts'
import { ApiError } from '../errors.ts'
import type { RequestContext } from '../http/context.ts'
import { read, swapQuery } from '../requests.ts'
import type { SwapNoRoute, SwapResponse } from '../responses.ts'
import { quote } from '../swap/quote.ts'
import { checkFeeExemptKey, swapKey, toQuoteRequest } from '../swap/request.ts'
import { noRouteResponse, swapResponse } from '../swap/response.ts'

/** What version A answers with 200 and no `tx`. */
const noRouteCodes: ReadonlySet<ApiErrorCode> = new Set([
  'UNKNOWN_TOKEN',
  'NO_ROUTE',
  'INSUFFICIENT_LIQUIDITY',
  'ROUTE_REVERTED',
])

export async function swap(
  request: Request,
  chain: ChainService,
  context: RequestContext,
  config: Config,
): Promise<SwapResponse | SwapNoRoute> {
  const query = read(swapQuery, request.query)
  checkFeeExemptKey(query.feeExemptKey ?? request.get('x-fee-exempt-key'), config.feeExemptKeyHashes)
  const wanted = toQuoteRequest(query, chain.deployment)
  try {
    return swapResponse(query, await quote(wanted, swapKey(query), chain, context), chain)
  } catch (error) {
    if (config.errorVersion === 'A' && error instanceof ApiError && noRouteCodes.has(error.code)) {
      context.errorCode = error.code
      return noRouteResponse(query, error.details.block as number)
    }
    throw error
  }
}
