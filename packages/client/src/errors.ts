/**
 * Codes of failures.
 *
 * - `HTTP`: the service refused or failed; `status` and, in version B, `serviceCode` say more.
 * - `NO_ROUTE`: no route exists for this swap.
 * - `NETWORK`: the service was not reached.
 * - `BAD_ANSWER`: the answer is not what the interface promises.
 * - `INVALID`: an argument of the caller cannot be used.
 * - `UNSAFE`: the transaction is not proven to do what was requested.
 * - `WALLET`: the wallet or its node failed or does not fit, or `confirm` did not return true.
 * - `REJECTED`: the owner declined in the wallet.
 * - `REVERTED`: the transaction was mined and moved nothing.
 * - `PENDING`: the wallet was asked to send, and no receipt came in time; `details.hash` names it where it is known.
 * - `STALE`: blocks pass faster than quotes arrive.
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

export type ClientErrorDetails = {
  readonly status?: number
  /** `code` of a version B body, such as `INSUFFICIENT_LIQUIDITY`. */
  readonly serviceCode?: string
  readonly requestId?: string
  /** Seconds to wait before the next attempt, where the service names them. */
  readonly retryAfter?: number
  /** The error body of version B, whole. */
  readonly body?: Readonly<Record<string, unknown>>
  /** The latest transaction that was sent before the failure: its hash, or the wallet's id of a batch. */
  readonly hash?: string
}

/**
 * The one error that this package throws.
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

  /** True when the same request may succeed later. */
  get retryable(): boolean {
    // The same search takes as long the next time.
    if (this.details.serviceCode === 'ROUTE_TIMEOUT') return false
    return this.code === 'NETWORK' || [502, 503, 504].includes(this.details.status ?? 0)
  }
}

/** Levels of wrapping in which wallets hide the error of the owner's answer. */
const MAX_DEPTH = 6
const MAX_MESSAGE = 500

/** Text of any thrown value. */
export function messageOf(error: unknown): string {
  try {
    const { message } = Object(error) as { message?: unknown }
    return String(typeof message === 'string' ? message : error).slice(0, MAX_MESSAGE)
  } catch {
    return 'an error without text'
  }
}

/** Refusals of wallets that give no code. */
const REFUSAL = /\buser (rejected|denied|cancell?ed|declined)\b/i

/** True for the owner's refusal, as EIP-1193 (4001), ethers and WalletConnect (5000) report it, or in words, at any depth. */
export function isRejection(error: unknown): boolean {
  let at = error
  for (let depth = 0; depth < MAX_DEPTH && typeof at === 'object' && at !== null; depth++) {
    const { code, cause, error: inner, info, message } = at as Record<string, unknown>
    if (code === 4001 || code === 5000 || code === 'ACTION_REJECTED') return true
    if (typeof message === 'string' && REFUSAL.test(message)) return true
    at = cause ?? inner ?? (info as { error?: unknown } | undefined)?.error
  }
  return false
}

/** Any thrown value as a ClientError: unchanged, `REJECTED` for the owner's refusal, else with `code`. */
export function toClientError(error: unknown, code: ClientErrorCode, what = ''): ClientError {
  if (error instanceof ClientError) return error
  const text = `${what}${messageOf(error)}`
  return new ClientError(isRejection(error) ? 'REJECTED' : code, text, {}, { cause: error })
}

/** Runs `act`, which may also throw before its promise; every failure is a ClientError. */
export async function orClientError<T>(code: ClientErrorCode, act: () => Promise<T>, what = ''): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw toClientError(error, code, what)
  }
}

/** The same error with the hash of what was sent before it. */
export function withHash(error: ClientError, hash: string | undefined): ClientError {
  if (hash === undefined || error.details.hash !== undefined) return error
  return new ClientError(error.code, error.message, { ...error.details, hash }, { cause: error.cause ?? error })
}
