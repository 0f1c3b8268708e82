import { CodedError, type Hex } from '@sluice/chains'

/**
 * Codes of the endpoint. UNREACHABLE: no connection, or one that was dropped. TIMEOUT: no answer in time. RATE_LIMITED: asked too
 * often, or busy. BAD_ANSWER: an answer that is none. LAGGING: it does not know the block yet. WRONG_CHAIN: it answers for
 * another chain. NO_OVERRIDES: none can do state overrides. GAS_CAP: each gives a call less gas than it needs.
 *
 * Codes of the call. REJECTED: the node answered with an error. REVERTED: the call ran and reverted. BLOCK_GONE: the chain has
 * another block in the place of the one that was asked for. ABORTED: the caller gave up.
 */
export type RpcErrorCode =
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'RATE_LIMITED'
  | 'BAD_ANSWER'
  | 'LAGGING'
  | 'WRONG_CHAIN'
  | 'NO_OVERRIDES'
  | 'GAS_CAP'
  | 'REJECTED'
  | 'REVERTED'
  | 'BLOCK_GONE'
  | 'ABORTED'

/** Failures that pass: the same call may be answered elsewhere, or a moment later. */
const passing: ReadonlySet<RpcErrorCode> = new Set(['UNREACHABLE', 'TIMEOUT', 'RATE_LIMITED', 'BAD_ANSWER', 'LAGGING'])

type More = ErrorOptions & {
  /** Milliseconds for which the endpoint asks to be left alone. */
  readonly retryAfterMs?: number
}

export class RpcError extends CodedError<RpcErrorCode> {
  override readonly name = 'RpcError'
  /** Revert data where the node gave it. */
  readonly data: Hex
  /** Milliseconds for which the endpoint asked to be left alone. */
  readonly retryAfterMs: number | undefined

  constructor(code: RpcErrorCode, message: string, data: Hex = '0x', { retryAfterMs, ...options }: More = {}) {
    super(code, message, options)
    this.data = data
    this.retryAfterMs = retryAfterMs
  }

  /** The block that was asked for may be the reason: at another block the answer may be another one. */
  get ofBlock(): boolean {
    return this.code === 'REJECTED' || this.code === 'LAGGING' || this.code === 'BLOCK_GONE'
  }

  /** The same call may be answered elsewhere, or a moment later. */
  get passes(): boolean {
    return passing.has(this.code)
  }
}
