/** Errors that the API returns to clients. */
import { type ApiErrorCode, errorTable } from './error-table.ts'

/** Additional fields of an error body in error version B (`ERROR_VERSION`). */
export type ErrorDetails = Readonly<Record<string, unknown>>

/** Limits per caller: the share of a chain's capacity, the number of streams, and the number of connections. */
export type RatePolicy = 'share' | 'streams' | 'connections'

type ApiErrorOptions = ErrorOptions & {
  readonly details?: ErrorDetails
  readonly retryAfter?: number
  readonly policy?: RatePolicy
  /** Replaces the code's default advice to the client (`cure` in error-table.ts). */
  readonly cure?: string
}

/** Error whose code and message are sent to the client. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ApiErrorCode
  readonly details: ErrorDetails
  /** Value of the `Retry-After` header in seconds; 1 by default for status 503. */
  readonly retryAfter: number | undefined
  /**
   * The limit per caller that was exceeded, sent in the `RateLimit` header; undefined if no such limit caused the
   * error.
   */
  readonly policy: RatePolicy | undefined
  readonly cure: string

  constructor(code: ApiErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.details = options.details ?? {}
    this.policy = options.policy
    this.cure = options.cure ?? errorTable[code].cure
    this.retryAfter = options.retryAfter ?? (errorTable[code].status === 503 ? 1 : undefined)
  }

  get status(): number {
    return errorTable[this.code].status
  }
}

const refusalMessages = {
  share: 'too many requests are in progress',
  streams: 'too many streams are open',
  connections: 'too many connections are open',
} as const satisfies Record<RatePolicy, string>

/** Creates an `OVERLOADED` error. @param retryAfter - seconds */
export function overloadError(retryAfter = 1, policy: RatePolicy = 'share'): ApiError {
  return new ApiError('OVERLOADED', refusalMessages[policy], { retryAfter, policy })
}

/** Returns the fields of an error body in error version B, without the request id. */
export function errorFields({ message, code, details, cure }: ApiError): {
  readonly error: string
  readonly code: string
} {
  return { error: message, code, ...details, ...{ cure, docs: docsOf(code) } }
}

/** Returns the path of an error code's row in the documentation that the service serves (docs/errors.md). */
export function docsOf(code: ApiErrorCode): string {
  return `/docs/errors.html#${code}`
}
