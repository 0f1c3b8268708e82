import { type ApiErrorCode, errorTable } from './error-table.ts'

/** Fields that some errors carry beside `error`, `code` and `requestId` in version B. */
export type ErrorDetails = Readonly<Record<string, unknown>>

/** Limits of one caller: the work of a chain is shared, streams and connections are counted. */
export type RatePolicy = 'share' | 'streams' | 'connections'

type ApiErrorOptions = ErrorOptions & {
  readonly details?: ErrorDetails
  readonly retryAfter?: number
  readonly policy?: RatePolicy
  /** In place of the cure of the code. */
  readonly cure?: string
}

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ApiErrorCode
  readonly details: ErrorDetails
  /** Seconds; sent as `Retry-After`. */
  readonly retryAfter: number | undefined
  /** The share of the caller that is used up; sent as `RateLimit`. */
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

const refusals = {
  share: 'too many requests are in progress',
  streams: 'too many streams are open',
  connections: 'too many connections are open',
} as const satisfies Record<RatePolicy, string>

/** @param retryAfter - seconds */
export function overloaded(retryAfter = 1, policy: RatePolicy = 'share'): ApiError {
  return new ApiError('OVERLOADED', refusals[policy], { retryAfter, policy })
}

/** Fields of a body of version B, beside the id of the request. */
export function errorFields({ message, code, details, cure }: ApiError): {
  readonly error: string
  readonly code: string
} {
  return { error: message, code, ...details, ...{ cure, docs: docsOf(code) } }
}

/** Place of an error in the service's own documentation: its row of docs/errors.md. */
export function docsOf(code: ApiErrorCode): string {
  return `/docs/errors.html#${code}`
}
