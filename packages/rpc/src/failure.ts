/** Classifies failures of HTTP, connections, and batches. For JSON-RPC errors see `node-error.ts`. */
import type { Signal } from './abort.ts'
import { RpcError } from './errors.ts'
import { MAX_RETRY_AFTER_MS, type NodeError } from './node-error.ts'

/** Matches messages about batches. */
const BATCH_TEXT = /batch/i
/** Matches messages about a size or a number. */
const SIZE_TEXT = /too (large|big|many|long)|limit|size|exceed|maximum|at most|more than/i

/** Returns the error implied by an HTTP status; undefined if the status alone implies none. */
export function httpErrorOf(status: number, retryAfter: string | undefined, now = Date.now()): RpcError | undefined {
  const text = `the node answered HTTP ${status}`
  if (status === 401 || status === 402 || status === 403) return new RpcError('CREDIT', text)
  if (status === 413) return new RpcError('SIZE', text)
  if (status !== 429 && status !== 503) return undefined
  const retryAfterMs = parseRetryAfter(retryAfter, now)
  return new RpcError('RATE_LIMITED', text, '0x', { ...(retryAfterMs !== undefined && { retryAfterMs }) })
}

/**
 * Parses a `Retry-After` header, in seconds or as an HTTP date.
 *
 * @returns milliseconds, at most `MAX_RETRY_AFTER_MS`; undefined if absent or invalid
 * @see RFC 9110, 10.2.3
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isFinite(ms) ? Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms)) : undefined
}

/**
 * Interpretation of a refused batch: `size` if a smaller batch may be accepted, `refused` if no batch is, `maybe` if
 * the failure may be random.
 */
export type BatchVerdict = 'size' | 'refused' | 'maybe'

/**
 * Interprets a refused batch.
 *
 * @param error - error returned instead of answers; undefined if the body is not JSON-RPC
 */
export function batchVerdict(status: number, error: NodeError | undefined): BatchVerdict {
  const text = String(error?.message ?? '')
  if (status === 413 || (SIZE_TEXT.test(text) && (BATCH_TEXT.test(text) || /request|body|payload/i.test(text))))
    return 'size'
  if (BATCH_TEXT.test(text) || (status >= 400 && status < 500)) return 'refused'
  // An error with HTTP 5xx that does not name batches is more likely a failure of the node.
  return error && status < 500 ? 'refused' : 'maybe'
}

/** Matches Geth's errors for the remaining calls of a batch that took too long, or whose responses are too large. */
const UNPROCESSED_TEXT = /^(request timed out|response too large)$/

/** Returns true if the error means that a node did not run a call of a batch, because of the calls before it. */
export function isUnprocessed(error: NodeError | string | null | undefined): boolean {
  return typeof error === 'object' && error !== null && UNPROCESSED_TEXT.test(String(error.message))
}

/**
 * Builds the error of an aborted call: `TIMEOUT` for a timeout signal, `ABORTED` for any other. Returns the reason of
 * the signal if it is an `RpcError`.
 */
export function abortError(signal: Pick<Signal, 'reason'>, method: string): RpcError {
  if (signal.reason instanceof RpcError) return signal.reason
  const isTimeout = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
  return isTimeout
    ? new RpcError('TIMEOUT', `${method}: no answer in time`)
    : new RpcError('ABORTED', `${method}: the caller gave up`)
}

/** Converts an error of the connection, of the body, or of the parser. */
export function connectionError(cause: unknown): RpcError {
  if (cause instanceof RpcError) return cause
  const innermostError = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const { code } = Object(innermostError) as { readonly code?: unknown }
  // The `code` of a DOMException is a legacy number, which says nothing about the failure.
  const name =
    typeof code === 'string' && code
      ? code
      : innermostError instanceof Error
        ? innermostError.message
        : String(innermostError)
  if (/EXCEEDED_MAX_SIZE|ERR_BUFFER_TOO_LARGE|Z_|HPE_/.test(name))
    return new RpcError('BAD_ANSWER', `the node's answer cannot be read: ${name}`, '0x', { cause })
  if (/TIMEOUT/.test(name)) return new RpcError('TIMEOUT', `the node did not answer: ${name}`, '0x', { cause })
  return new RpcError('UNREACHABLE', `the node cannot be reached: ${name}`, '0x', { cause })
}
