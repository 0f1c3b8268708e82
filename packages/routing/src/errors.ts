import { CodedError } from '@sluice/chains'

export type RoutingErrorCode =
  /** A settled route that breaks a limit or a filter of its request: a fault of the search. */
  | 'ROUTE_INVARIANT'
  /** Not even a single path was found with the work allowed. */
  | 'WORK_SPENT'
  /** The search was ended since it took too long. */
  | 'SEARCH_OVERRAN'
  /** The thread of the search came to its end: it had no more memory, for instance, or could not be started. */
  | 'THREAD_ENDED'

export class RoutingError extends CodedError<RoutingErrorCode> {
  override readonly name = 'RoutingError'
}
