/** The error that a request gets if no route is found, with the amount that can be routed instead. */
import type { ExactOutputRequest, RouteRequest, RouteResult } from '@sluice/routing'
import { QuotingError } from '../errors.ts'
import type { TaxRecords } from '../tokens/taxes.ts'
import type { ChainView } from '../view/view.ts'
import { type AmountRefusal, amountRefusal } from './amount-refusal.ts'
import type { DecidedRequest } from './request.ts'
import { wantedFor } from './search-amount.ts'

type Failure = Extract<RouteResult, { ok: false }>
type Searched = RouteRequest | ExactOutputRequest

export type FailedSearch = {
  readonly sought: Searched
  readonly request: DecidedRequest
  readonly taxes: TaxRecords
  readonly view: ChainView
  /** Repeats the search with another amount and less work. */
  readonly searchAgain: (request: Searched) => Promise<RouteResult>
}

/** Refusals listed in an error. */
const MAX_REASONS = 50

export async function searchFailure(failure: Failure, search: FailedSearch): Promise<QuotingError> {
  const byAmount = failure.code === 'NO_ROUTE' ? await amountRefusal(search.sought, search.searchAgain) : undefined
  return byAmount ? refusedAmount(byAmount, failure, search) : noRoute(failure, search)
}

function noRoute(failure: Failure, { request, taxes, view }: FailedSearch): QuotingError {
  const { code, message, maxRoutableAmount, maxOutputAmount } = failure
  const most =
    request.amountOut === undefined ? maxRoutableAmount : maxOutputAmount && wantedFor(maxOutputAmount, request, taxes)
  return new QuotingError(code, message, {
    ...detailsOf(failure, view),
    ...(most !== undefined && { maxRoutableAmount: most.toString() }),
  })
}

function refusedAmount(refusal: AmountRefusal, failure: Failure, { request, taxes, view }: FailedSearch): QuotingError {
  const details = detailsOf(failure, view)
  if (refusal.kind === 'too small') {
    const least = `about ${refusal.min} routes`
    return new QuotingError('AMOUNT_TOO_SMALL', `${request.amountIn} buys less than one unit of the output; ${least}`, {
      ...details,
      minRoutableAmount: refusal.min.toString(),
    })
  }
  const most = request.amountOut === undefined ? refusal.max : wantedFor(refusal.max, request, taxes)
  const what = request.amountOut === undefined ? `take ${request.amountIn}` : `pay ${request.amountOut}`
  return new QuotingError('INSUFFICIENT_LIQUIDITY', `the pools cannot ${what}; about ${most} can be routed`, {
    ...details,
    maxRoutableAmount: most.toString(),
  })
}

const detailsOf = ({ reasons }: Failure, { snapshot }: ChainView) => ({
  reasons: reasons.slice(0, MAX_REASONS),
  block: snapshot.block.number,
})
