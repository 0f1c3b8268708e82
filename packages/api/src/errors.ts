import { type ApiErrorCode, errorTable } from './error-table.ts'

/** Fields that some errors carry beside `error`, `code` and `requestId` in version B. */
export type ErrorDetails = Readonly<Record<string, unknown>>

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ApiErrorCode
  readonly details: ErrorDetails
  /** Seconds; sent as `Retry-After`. */
  readonly retryAfter: number | undefined

  constructor(
    code: ApiErrorCode,
    message: string,
    options: ErrorOptions & { readonly details?: ErrorDetails; readonly retryAfter?: number } = {},
  ) {
    super(message, options)
    this.code = code
    this.details = options.details ?? {}
    this.retryAfter = options.retryAfter ?? (errorTable[code].status === 503 ? 1 : undefined)
  }

  get status(): number {
    return errorTable[this.code].status
  }
}
