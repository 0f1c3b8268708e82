/**
 * HTTP: the service refused or failed; `status` and, in version B, `serviceCode` tell more. NO_ROUTE: there is none for
 * this swap. NETWORK: the service was not reached. BAD_ANSWER: what came is not what the interface promises.
 * UNSAFE: the transaction does not do what was asked for. WALLET: the wallet or its chain does not fit. REVERTED: the
 * transaction was mined and moved nothing. ABORTED: the caller's own signal ended it. STALE: the price kept moving away between quote and submission.
 */
export type ClientErrorCode =
  | 'HTTP'
  | 'NO_ROUTE'
  | 'NETWORK'
  | 'BAD_ANSWER'
  | 'UNSAFE'
  | 'WALLET'
  | 'REVERTED'
  | 'STALE'
  | 'ABORTED'

export type ClientErrorDetails = {
  readonly status?: number
  /** `code` of a version B body, such as `INSUFFICIENT_LIQUIDITY`. */
  readonly serviceCode?: string
  readonly requestId?: string
  /** Seconds to wait before the next try, where the service says so. */
  readonly retryAfter?: number
  /** The error body of version B, whole. */
  readonly body?: Readonly<Record<string, unknown>>
}

export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: ClientErrorCode
  readonly details: ClientErrorDetails

  constructor(code: ClientErrorCode, message: string, details: ClientErrorDetails = {}, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.details = details
  }

  /** True where the same request may succeed later. */
  get retryable(): boolean {
    // The same search takes as long the next time.
    if (this.details.serviceCode === 'ROUTE_TIMEOUT') return false
    return this.code === 'NETWORK' || [502, 503, 504].includes(this.details.status ?? 0)
  }
}
