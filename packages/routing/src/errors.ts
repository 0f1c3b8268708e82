/** Errors thrown by the router. */
import { CodedError } from '@sluice/chains'

/** Why a search failed. */
export type RoutingErrorCode =
  /** The settled route breaks a limit or filter of its request: a bug in the search. */
  | 'ROUTE_INVARIANT'
  /** The work limit was reached before a single path was found. */
  | 'WORK_SPENT'
  /** The search exceeded its time limit in a worker thread and was terminated. */
  | 'SEARCH_OVERRAN'
  /** The worker thread exited or could not start, for example because it ran out of memory. */
  | 'THREAD_ENDED'

/** Error for a search that ended without a result. */
export class RoutingError extends CodedError<RoutingErrorCode> {
  override readonly name = 'RoutingError'
}
