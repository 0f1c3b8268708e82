export type RoutingErrorCode =
  /** A settled route that breaks a limit or a filter of its request: a fault of the search. */
  | 'ROUTE_INVARIANT'
  /** Not even a single path was found with the work allowed. */
  | 'WORK_SPENT'
  /** The search was ended since it took too long. */
  | 'SEARCH_OVERRAN'
  /** The thread of the search came to its end: it had no more memory, for instance, or could not be started. */
  | 'THREAD_ENDED'

export class RoutingError extends Error {
  override readonly name = 'RoutingError'
  readonly code: RoutingErrorCode

  constructor(code: RoutingErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
