/** Progress of a swap: reported to the caller as it happens, and enough to go on after a reload of the page. */

import type { Proven } from './prove-swap.ts'
import type { Route, SwapRequest } from './types.ts'

/** State of a swap: plain JSON. */
export type SwapState = {
  readonly version: 1
  readonly chainId: number
  readonly from: string
  /** The request, its amounts as text. */
  readonly request: SwapRequest
  /**
   * `approving`: an approval was sent. `approved`: the allowance stands. `batching`: approval and swap were sent as one.
   * `signing`: the wallet was asked to send the swap, and has not answered. `sent`: the swap was sent. `done`: it was mined.
   */
  readonly stage: 'approving' | 'approved' | 'batching' | 'signing' | 'sent' | 'done'
  /** Hash of the latest transaction, or the wallet's id of the batch. */
  readonly hash?: string
  /** Block before which the latest transaction was not sent. */
  readonly fromBlock: number
  /** Route that was sent. */
  readonly route?: Route
}

/** An event of a swap. Events with a `state` carry what `resumeSwap` takes. */
export type SwapProgress =
  | { readonly stage: 'quoted'; readonly route: Route; readonly proven: Proven }
  /** The wallet was asked to sign or send, and shows this to its owner. */
  | { readonly stage: 'prompted'; readonly prompt: 'approval' | 'permit' | 'batch' | 'swap' }
  | { readonly stage: 'permit-signed' }
  | { readonly stage: SwapState['stage']; readonly hash?: string; readonly state: SwapState }

/** A request whose amounts are text. */
export function plainRequest(request: SwapRequest): SwapRequest {
  const entries = Object.entries(request).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  ) as SwapRequest
}
