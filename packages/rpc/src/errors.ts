/** Error class and error codes of the package. */
import { CodedError, type Hex } from '@sluice/chains'

/**
 * Codes that describe the endpoint:
 * - `UNREACHABLE`: no connection, a dropped connection, or a gateway that cannot reach its node.
 * - `TIMEOUT`: no answer in time.
 * - `RATE_LIMITED`: too many requests, or the node is busy.
 * - `CREDIT`: the plan is used up, or the API key is refused.
 * - `BAD_ANSWER`: the answer cannot be parsed or is implausible.
 * - `LAGGING`: the node does not have the block yet.
 * - `PRUNED`: the node no longer has the state of the block.
 * - `WRONG_CHAIN`: the node serves another chain.
 * - `UNSUPPORTED`: the node, or the plan, does not have the method.
 * - `NO_OVERRIDES`: the node cannot override state or block values.
 * - `GAS_CAP`: the node gives a call less gas than requested.
 * - `SIZE`: the request or its answer is too large or too slow; a smaller one may succeed.
 * - `RANGE`: the block range of a log query is too large.
 *
 * Codes that describe the call:
 * - `REJECTED`: the node answered with another error.
 * - `REVERTED`: the call ran and reverted.
 * - `BLOCK_GONE`: a reorg replaced the requested block.
 * - `ABORTED`: the caller aborted the request.
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

/** Transient failures: the same call may succeed at another endpoint or a moment later. */
const transientCodes: ReadonlySet<RpcErrorCode> = new Set([
  'UNREACHABLE',
  'TIMEOUT',
  'RATE_LIMITED',
  'CREDIT',
  'BAD_ANSWER',
  'LAGGING',
])
/** Refusals of the request, which the same endpoint would repeat. */
const refusalCodes: ReadonlySet<RpcErrorCode> = new Set(['REJECTED', 'UNSUPPORTED', 'RANGE', 'SIZE', 'GAS_CAP'])
/** Failures whose cause may be the requested block, so that they may not occur at another block. */
const blockDependentCodes: ReadonlySet<RpcErrorCode> = new Set(['REJECTED', 'LAGGING', 'PRUNED', 'BLOCK_GONE'])

type RpcErrorOptions = ErrorOptions & {
  /** Milliseconds to wait before the next request, as the endpoint demands (`Retry-After`). */
  readonly retryAfterMs?: number
  /** Maximum blocks per request that the endpoint grants, if a `RANGE` error states it. */
  readonly grantedBlocks?: number
  /** True if the node failed without a stated cause. */
  readonly isInternal?: boolean
}

/** Error of a request after all its attempts. */
export class RpcError extends CodedError<RpcErrorCode> {
  override readonly name = 'RpcError'
  /** Revert data; `0x` if the node gave none. */
  readonly data: Hex
  /** Milliseconds to wait before the next request, as the endpoint demanded. */
  readonly retryAfterMs: number | undefined
  /** Maximum blocks per request that the endpoint grants, if a `RANGE` error states it. */
  readonly grantedBlocks: number | undefined
  /** True if the node failed without a stated cause: the same call may succeed at the same endpoint. */
  readonly isInternal: boolean

  constructor(
    code: RpcErrorCode,
    message: string,
    data: Hex = '0x',
    { retryAfterMs, grantedBlocks, isInternal = false, ...options }: RpcErrorOptions = {},
  ) {
    super(code, message, options)
    this.data = data
    this.retryAfterMs = retryAfterMs
    this.grantedBlocks = grantedBlocks
    this.isInternal = isInternal
  }

  /** True if the requested block may be the cause: another block may give another result. */
  get mayDependOnBlock(): boolean {
    return blockDependentCodes.has(this.code)
  }

  /** True if the endpoint refuses the request and would refuse it again. */
  get isRefusal(): boolean {
    return refusalCodes.has(this.code)
  }

  /** True if the failure is transient: the call may succeed at another endpoint or a moment later. */
  get isTransient(): boolean {
    return transientCodes.has(this.code)
  }
}
