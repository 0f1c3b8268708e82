/** Types shared by `race.ts` and its callers: operations, options, attempts, and per-chain context. */
import type { Abort, Signal } from './abort.ts'
import type { SendContext } from './calls.ts'
import type { RpcError } from './errors.ts'
import type { HedgeBudget } from './hedges.ts'
import type { Priority } from './priority.ts'
import type { Upstream } from './upstream.ts'

/**
 * Work to do at the endpoint that `race` selects. `sendContext` has the abort signal and the priority of the attempt.
 */
export type EndpointOperation<T> = (upstream: Upstream, sendContext: SendContext) => Promise<T>

/** Options of one request. */
export type RaceOptions = {
  /** Kind of the request, usually the RPC method. Latencies are tracked by kind. */
  readonly kind: string
  readonly priority: Priority
  /** Timeout of one attempt in milliseconds, counted from when it is sent. */
  readonly attemptTimeoutMs: number
  /** Timeout of the whole request in milliseconds. */
  readonly requestTimeoutMs: number
  readonly signals: readonly (Signal | undefined)[]
}

/** State shared by all requests of a chain. */
export type RaceContext = {
  readonly upstreams: readonly Upstream[]
  readonly hedgeBudget: HedgeBudget
  /** Returns the milliseconds after which a lagging node may have caught up. */
  readonly catchUpMs: () => number
  readonly onFailure: (upstream: Upstream, error: RpcError) => void
  readonly onExtraRequest: (kind: 'retry' | 'hedge', upstream: Upstream) => void
}

/** Attempt in flight. */
export type RequestAttempt = {
  readonly upstream: Upstream
  readonly sendContext: SendContext
  readonly controller: Abort
  readonly startedAt: number
  timer: NodeJS.Timeout | undefined
}
