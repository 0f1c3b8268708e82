/** The only error class of the package. Converts any thrown value to it. */

/**
 * Code of a failure.
 *
 * - `HTTP`: the service returned an error; `status` and, in error version B, `serviceCode` give details.
 * - `NO_ROUTE`: no route exists for this swap.
 * - `NETWORK`: the service was not reached.
 * - `BAD_ANSWER`: the response is malformed.
 * - `INVALID`: an argument of the caller is invalid.
 * - `UNSAFE`: the transaction is not proven to do what was requested.
 * - `WALLET`: the wallet or its node failed, is unsuitable, or is on another chain, or `confirm` did not return true.
 * - `REJECTED`: the owner declined in the wallet, or replaced the sent transaction with another one.
 * - `REVERTED`: the transaction was mined and failed.
 * - `PENDING`: the wallet was asked to send, but no receipt arrived in time. `details.hash` is the hash, if known.
 * - `STALE`: every quote was outdated when it arrived, because the chain has new blocks faster than the service sends
 *   quotes.
 * - `ABORTED`: the caller's own signal ended the call.
 */
export type ClientErrorCode =
  | 'HTTP'
  | 'NO_ROUTE'
  | 'NETWORK'
  | 'BAD_ANSWER'
  | 'INVALID'
  | 'UNSAFE'
  | 'WALLET'
  | 'REJECTED'
  | 'REVERTED'
  | 'PENDING'
  | 'STALE'
  | 'ABORTED'

/** Details of a failure. Fields are absent if unknown. */
export type ClientErrorDetails = {
  /** HTTP status. */
  readonly status?: number
  /** `code` of the error body (error version B), such as `INSUFFICIENT_LIQUIDITY`. */
  readonly serviceCode?: string
  readonly requestId?: string
  /** `Retry-After` of the response, in seconds. */
  readonly retryAfter?: number
  /** Whole JSON error body. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Hash of the latest transaction sent before the failure, or the wallet's id of a batch. */
  readonly hash?: string
}

/**
 * The only error that this package throws.
 *
 * @example
 * ```ts
 * if (error instanceof ClientError && error.retryable) await retryLater()
 * ```
 */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: ClientErrorCode
  readonly details: ClientErrorDetails

  constructor(code: ClientErrorCode, message: string, details: ClientErrorDetails = {}, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.details = details
  }

  /** True if the same request may succeed later. */
  get retryable(): boolean {
    // After a timeout, the same search would end in the same timeout again.
    if (this.details.serviceCode === 'ROUTE_TIMEOUT') return false
    return this.code === 'NETWORK' || [502, 503, 504].includes(this.details.status ?? 0)
  }
}

/** Maximum depth of nested errors that are searched for a refusal by the wallet's owner. */
const MAX_DEPTH = 6
const MAX_MESSAGE_CHARS = 500

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  try {
    const { message } = Object(error) as { message?: unknown }
    return String(typeof message === 'string' ? message : error).slice(0, MAX_MESSAGE_CHARS)
  } catch {
    return 'an error without text'
  }
}

/** Messages by which wallets, and their devices, report a refusal without a code. */
const REFUSAL =
  /\buser (rejected|denied|cancell?ed|declined|refused)\b|\b(rejected|denied|cancell?ed|declined|refused) (by|from) (the )?user\b/i
const REFUSAL_CODES: readonly unknown[] = [4001, 5000, 'ACTION_REJECTED']

/**
 * Returns true if the owner refused: code 4001 (EIP-1193), 5000 (WalletConnect), ethers' own code, or a known message.
 * Some wallets throw text instead of an error, and some nest another wallet's error.
 */
export function isRejection(error: unknown): boolean {
  let current = error
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    if (typeof current === 'string') return REFUSAL.test(current)
    if (typeof current !== 'object' || current === null) return false
    const { code, cause, error: nestedError, info, data, originalError, message } = current as Record<string, unknown>
    if (REFUSAL_CODES.includes(code)) return true
    if (typeof message === 'string' && REFUSAL.test(message)) return true
    current = cause ?? nestedError ?? (info as { error?: unknown } | undefined)?.error ?? originalError ?? data
  }
  return false
}

/**
 * Converts a thrown value to a ClientError: `REJECTED` for the owner's refusal, else `code`. A ClientError stays
 * unchanged.
 */
export function toClientError(error: unknown, code: ClientErrorCode, messagePrefix = ''): ClientError {
  if (error instanceof ClientError) return error
  const text = `${messagePrefix}${messageOf(error)}`
  return new ClientError(isRejection(error) ? 'REJECTED' : code, text, {}, { cause: error })
}

/** Runs `act`, which may also throw synchronously, and converts every failure to a ClientError. */
export async function orWalletError<T>(act: () => Promise<T>, messagePrefix = ''): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw toClientError(error, 'WALLET', messagePrefix)
  }
}

/** Returns the error with the hash of the latest transaction in its details. */
export function withHash(error: ClientError, hash: string | undefined): ClientError {
  if (hash === undefined || error.details.hash !== undefined) return error
  return new ClientError(error.code, error.message, { ...error.details, hash }, { cause: error.cause ?? error })
}
