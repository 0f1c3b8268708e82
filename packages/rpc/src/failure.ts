/** Words of nodes, and of what stands before them, when they do not answer: geth, erigon, nethermind, besu, reth, anvil, providers. */
import type { Hex } from '@sluice/chains'
import type { Signal } from './abort.ts'
import { RpcError } from './errors.ts'

export type NodeError = { readonly code?: number; readonly message?: string; readonly data?: unknown }

const limited =
  /too many requests|rate.?limit|limit.?exceeded|exceeded.{0,40}(capacity|limit|quota|requests)|quota.{0,20}exceeded|capacity exceeded|throttl|request count|server (is )?(too )?busy|overloaded|try again/i
const LIMIT_CODES: ReadonlySet<number | undefined> = new Set([429, -32005, -32016, -32029])
const lagging =
  /header (for hash )?not found|unknown (block|header)|missing (trie node|header)|resource not found|block (hash |number )?(was )?not (be )?found|(find|found) (the |a )?block|block.{0,60}(cannot|could not) be found|no such block|no block found|unfinalized|(historical|world) state.{0,20}unavailable|state.{0,40}not available|no state available|block.{0,30}(is )?(not (yet )?available|out of range)|BlockOutOfRange|block height is|after (the )?last accepted block|HeaderNotFound/i
const reverted =
  /revert|VM execution error|out of gas|OutOfGas|Invalid(FE)?Opcode|NotActivated|invalid opcode|Stack(Under|Over)flow|CallTooDeep|always failing transaction/i
const batches = /batch/i
const large = /too (large|big|many|long)|limit|size|exceed|maximum|at most|more than/i

/** @returns `REVERTED`, `RATE_LIMITED`, `LAGGING`, or `REJECTED` for all that is said of the call itself */
export function nodeError(method: string, { code, message = 'no message', data }: NodeError): RpcError {
  const text = String(message)
  const revertData = hexOf(data)
  // Providers send texts in `data` too; bytes there are those of a revert.
  if (code === 3 || revertData !== undefined) return new RpcError('REVERTED', text, revertData ?? '0x')
  if (LIMIT_CODES.has(code)) return new RpcError('RATE_LIMITED', `the node is busy: ${text}`)
  // Before reverts: "missing trie node" may be told of a call that "reverted" for it.
  if (code === -32001 || lagging.test(text)) return new RpcError('LAGGING', `the node lacks the block: ${text}`)
  if (reverted.test(text)) return new RpcError('REVERTED', text)
  if (limited.test(text)) return new RpcError('RATE_LIMITED', `the node is busy: ${text}`)
  return new RpcError('REJECTED', `${method}: ${text}`)
}

/** An HTTP status that is the answer by itself; undefined when the body has to tell. */
export function httpFailure(status: number, retryAfter: string | undefined, now = Date.now()): RpcError | undefined {
  if (status !== 429 && status !== 503) return undefined
  const retryAfterMs = parseRetryAfter(retryAfter, now)
  return new RpcError('RATE_LIMITED', `the node answered HTTP ${status}`, '0x', {
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
}

/** Longest pause that an endpoint is granted: what it asks for may be a mistake. */
const MAX_RETRY_AFTER_MS = 10_000

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

/** Revert data stands in `data`, in `data.data`, or in text after "Reverted ", depending on the client. */
function hexOf(data: unknown): Hex | undefined {
  if (typeof data === 'string') return data.match(/^(?:Reverted )?(0x[0-9a-fA-F]*)$/)?.[1] as Hex | undefined
  if (typeof data === 'object' && data !== null && 'data' in data) return hexOf(data.data)
  return undefined
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
  const name = inner instanceof Error ? (inner as NodeJS.ErrnoException).code || inner.message : String(inner)
  if (/EXCEEDED_MAX_SIZE|ERR_BUFFER_TOO_LARGE|Z_|HPE_/.test(name))
    return new RpcError('BAD_ANSWER', `the node's answer cannot be read: ${name}`, '0x', { cause })
  if (/TIMEOUT/.test(name)) return new RpcError('TIMEOUT', `the node did not answer: ${name}`, '0x', { cause })
  return new RpcError('UNREACHABLE', `the node cannot be reached: ${name}`, '0x', { cause })
}
