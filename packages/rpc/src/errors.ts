import type { Hex } from '@sluice/chains'

/**
 * UNREACHABLE: no endpoint answered. TIMEOUT: none answered in time. REJECTED: the node answered with an error.
 * REVERTED: the call ran and reverted. WRONG_CHAIN: endpoints answer for another chain. NO_OVERRIDES: none can do
 * state overrides. GAS_CAP: each gives a call less gas than it needs. ABORTED: the caller gave up.
 */
export type RpcErrorCode =
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'REJECTED'
  | 'REVERTED'
  | 'WRONG_CHAIN'
  | 'NO_OVERRIDES'
  | 'GAS_CAP'
  | 'ABORTED'

export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: RpcErrorCode
  /** Revert data where the node gave it. */
  readonly data: Hex

  constructor(code: RpcErrorCode, message: string, data: Hex = '0x', options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.data = data
  }
}
