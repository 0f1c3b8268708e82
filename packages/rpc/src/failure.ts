/** Failures of HTTP, of connections and of batches. Errors that a node itself answers with: `node-error.ts`. */
import type { Signal } from './abort.ts'
import { RpcError } from './errors.ts'
import { MAX_RETRY_AFTER_MS, type NodeError } from './node-error.ts'

const batches = /batch/i
const large = /too (large|big|many|long)|limit|size|exceed|maximum|at most|more than/i

/** Meaning of an HTTP status whose body does not say more; undefined when it has none. */
export function httpFailure(status: number, retryAfter: string | undefined, now = Date.now()): RpcError | undefined {
  const text = `the node answered HTTP ${status}`
  if (status === 401 || status === 402 || status === 403) return new RpcError('CREDIT', text)
  if (status === 413) return new RpcError('SIZE', text)
  if (status !== 429 && status !== 503) return undefined
  const retryAfterMs = parseRetryAfter(retryAfter, now)
  return new RpcError('RATE_LIMITED', text, '0x', { ...(retryAfterMs !== undefined && { retryAfterMs }) })
}

/** Seconds or an HTTP date. @see RFC 9110, 10.2.3 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isFinite(ms) ? Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms)) : undefined
}

/** Verdict on a batch as such: `size` when a smaller one may pass, `refused` when none does, `maybe` when it may be chance. */
export type BatchVerdict = 'size' | 'refused' | 'maybe'

/** @param error - that stands in the place of all answers; undefined for what is no JSON-RPC at all */
export function batchVerdict(status: number, error: NodeError | undefined): BatchVerdict {
  const text = String(error?.message ?? '')
  if (status === 413 || (large.test(text) && (batches.test(text) || /request|body|payload/i.test(text)))) return 'size'
  if (batches.test(text) || (status >= 400 && status < 500)) return 'refused'
  return error ? 'refused' : 'maybe'
}

export function abortError(signal: Pick<Signal, 'reason'>, method: string): RpcError {
  if (signal.reason instanceof RpcError) return signal.reason
  const timedOut = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
  return timedOut
    ? new RpcError('TIMEOUT', `${method}: no answer in time`)
    : new RpcError('ABORTED', `${method}: the caller gave up`)
}

/** @param cause - of the connection, the body or the parser */
export function connectionError(cause: unknown): RpcError {
  if (cause instanceof RpcError) return cause
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const { code } = Object(inner) as { readonly code?: unknown }
  // An exception of the DOM has a number of old there, which says nothing.
  const name = typeof code === 'string' && code ? code : inner instanceof Error ? inner.message : String(inner)
  if (/EXCEEDED_MAX_SIZE|ERR_BUFFER_TOO_LARGE|Z_|HPE_/.test(name))
    return new RpcError('BAD_ANSWER', `the node's answer cannot be read: ${name}`, '0x', { cause })
  if (/TIMEOUT/.test(name)) return new RpcError('TIMEOUT', `the node did not answer: ${name}`, '0x', { cause })
  return new RpcError('UNREACHABLE', `the node cannot be reached: ${name}`, '0x', { cause })
}
