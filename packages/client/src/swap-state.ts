/** Progress events of a swap, and the state from which a swap can be resumed after a page reload. */

import type { Proven } from './prove-swap.ts'
import type { Route, SwapRequest } from './types.ts'

/** State of a swap, serializable as JSON. */
export type SwapState = {
  readonly version: 1
  readonly chainId: number
  readonly from: string
  /** Request with amounts as text. */
  readonly request: SwapRequest
  /**
   * `approving`: an approval was sent. `approved`: the approval was mined. `batching`: approval and swap were sent as
   * one batch. `signing`: the wallet was asked to send the swap and has not responded. `unsent`: the wallet cannot
   * send the batch, or its owner declined, and nothing was sent. `sent`: the swap was sent. `done`: it was mined.
   */
  readonly stage: 'approving' | 'approved' | 'batching' | 'signing' | 'unsent' | 'sent' | 'done'
  /** Hash of the latest transaction, or the wallet's id of the batch. */
  readonly hash?: string
  /** The latest transaction was sent at this block or a later one. */
  readonly fromBlock: number
  /** Route of the swap that was sent. */
  readonly route?: Route
}

/** Event of a swap. `state` is the argument for `resumeSwap`. */
export type SwapProgress =
  | { readonly stage: 'quoted'; readonly route: Route; readonly proven: Proven }
  /** The wallet was asked to sign or send, and prompts its owner. */
  | { readonly stage: 'prompted'; readonly prompt: 'approval' | 'permit' | 'batch' | 'swap' }
  | { readonly stage: 'permit-signed' }
  | { readonly stage: SwapState['stage']; readonly hash?: string; readonly state: SwapState }

/** Copies a request with amounts as text and without undefined values. */
export function plainRequest(request: SwapRequest): SwapRequest {
  const entries = Object.entries(request).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  ) as SwapRequest
}
