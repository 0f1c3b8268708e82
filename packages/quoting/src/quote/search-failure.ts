/**
 * Builds the error of a failed search, for `findWorkingRoute`. If another amount has a route, the error names that
 * amount.
 */
import type { ExactOutputRequest, RouteRequest, RouteResult } from '@sluice/routing'
import { QuotingError } from '../errors.ts'
import type { TaxRecords } from '../tokens/taxes.ts'
import type { ChainView } from '../view/view.ts'
import { type AmountRefusal, findAmountRefusal } from './amount-refusal.ts'
import type { ResolvedRequest } from './request.ts'
import { maxAmountOutFor } from './search-amount.ts'

type Failure = Extract<RouteResult, { ok: false }>
type SearchRequest = RouteRequest | ExactOutputRequest

export type FailedSearch = {
  readonly searchRequest: SearchRequest
  readonly request: ResolvedRequest
  readonly taxes: TaxRecords
  readonly view: ChainView
  /** Runs the search again with the amount in the given request and a smaller budget. */
  readonly searchAgain: (request: SearchRequest) => Promise<RouteResult>
}

/** Maximum reasons listed in an error. */
const MAX_REASONS = 50

/** Builds the error for a request without a route. */
export async function errorOfFailedSearch(failure: Failure, search: FailedSearch): Promise<QuotingError> {
  const refusal =
    failure.code === 'NO_ROUTE' ? await findAmountRefusal(search.searchRequest, search.searchAgain) : undefined
  return refusal ? amountError(refusal, failure, search) : noRouteError(failure, search)
}

function noRouteError(failure: Failure, { request, taxes, view }: FailedSearch): QuotingError {
  const { code, message, maxRoutableAmount, maxOutputAmount } = failure
  const maxAmount =
    request.amountOut === undefined
      ? maxRoutableAmount
      : maxOutputAmount && maxAmountOutFor(maxOutputAmount, request, taxes)
  return new QuotingError(code, message, {
    ...detailsOf(failure, view),
    ...(maxAmount !== undefined && { maxRoutableAmount: maxAmount.toString() }),
  })
}

function amountError(refusal: AmountRefusal, failure: Failure, { request, taxes, view }: FailedSearch): QuotingError {
  const details = detailsOf(failure, view)
  if (refusal.kind === 'too small') {
    const hint = `about ${refusal.min} routes`
    return new QuotingError('AMOUNT_TOO_SMALL', `${request.amountIn} buys less than one unit of the output; ${hint}`, {
      ...details,
      minRoutableAmount: refusal.min.toString(),
    })
  }
  const maxAmount = request.amountOut === undefined ? refusal.max : maxAmountOutFor(refusal.max, request, taxes)
  const action = request.amountOut === undefined ? `take ${request.amountIn}` : `pay ${request.amountOut}`
  return new QuotingError('INSUFFICIENT_LIQUIDITY', `the pools cannot ${action}; about ${maxAmount} can be routed`, {
    ...details,
    maxRoutableAmount: maxAmount.toString(),
  })
}

const detailsOf = ({ reasons }: Failure, { snapshot }: ChainView) => ({
  reasons: reasons.slice(0, MAX_REASONS),
  block: snapshot.block.number,
})
