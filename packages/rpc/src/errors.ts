import { CodedError, type Hex } from '@sluice/chains'

/**
 * Codes of the endpoint. UNREACHABLE: no connection, or one that was dropped. TIMEOUT: no answer in time. RATE_LIMITED: it is asked
 * too often, or is busy. CREDIT: its plan is used up, or its key refused. BAD_ANSWER: the answer cannot be read. LAGGING: it
 * does not have the block yet. PRUNED: it does not keep the block's state any more. WRONG_CHAIN: it answers for another chain.
 * UNSUPPORTED: it does not have the method, or not in the plan. NO_OVERRIDES: it cannot do state overrides. GAS_CAP: it gives a call
 * less gas than was asked for. SIZE: the request or its answer is too large or takes it too long, a smaller one may pass. RANGE:
 * the same of a range of logs.
 *
 * Codes of the call. REJECTED: the node answered with another error. REVERTED: the call ran and reverted. BLOCK_GONE: the chain has
 * another block in place of the one that was asked for. ABORTED: the caller gave up.
 */
export type RpcErrorCode =
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'RATE_LIMITED'
  | 'CREDIT'
  | 'BAD_ANSWER'
  | 'LAGGING'
  | 'PRUNED'
  | 'WRONG_CHAIN'
  | 'UNSUPPORTED'
  | 'NO_OVERRIDES'
  | 'GAS_CAP'
  | 'SIZE'
  | 'RANGE'
  | 'REJECTED'
  | 'REVERTED'
  | 'BLOCK_GONE'
  | 'ABORTED'

/** Failures that pass: the same call may be answered elsewhere, or a moment later. */
const passing: ReadonlySet<RpcErrorCode> = new Set([
  'UNREACHABLE',
  'TIMEOUT',
  'RATE_LIMITED',
  'CREDIT',
  'BAD_ANSWER',
  'LAGGING',
])
/** Refusals of the request itself, which the same endpoint repeats. */
const refusals: ReadonlySet<RpcErrorCode> = new Set(['REJECTED', 'UNSUPPORTED', 'RANGE', 'SIZE', 'GAS_CAP'])
/** Failures that another block may not have. */
const ofBlock: ReadonlySet<RpcErrorCode> = new Set(['REJECTED', 'LAGGING', 'PRUNED', 'BLOCK_GONE'])

type More = ErrorOptions & {
  /** Milliseconds for which the endpoint asks to be left alone. */
  readonly retryAfterMs?: number
  /** Blocks per request that the endpoint grants, if a `RANGE` error states it. */
  readonly blocks?: number
}

export class RpcError extends CodedError<RpcErrorCode> {
  override readonly name = 'RpcError'
  /** Revert data where the node gave it. */
  readonly data: Hex
  /** Milliseconds for which the endpoint asked to be left alone. */
  readonly retryAfterMs: number | undefined
  /** Blocks per request that the endpoint grants, if a `RANGE` error states it. */
  readonly blocks: number | undefined

  constructor(code: RpcErrorCode, message: string, data: Hex = '0x', { retryAfterMs, blocks, ...options }: More = {}) {
    super(code, message, options)
    this.data = data
    this.retryAfterMs = retryAfterMs
    this.blocks = blocks
  }

  /** The block that was asked for may be the reason: at another block the answer may be another one. */
  get ofBlock(): boolean {
    return ofBlock.has(this.code)
  }

  /** The endpoint refuses the request itself, and would again. */
  get isRefusal(): boolean {
    return refusals.has(this.code)
  }

  /** The same call may be answered elsewhere, or a moment later. */
  get passes(): boolean {
    return passing.has(this.code)
  }
}
