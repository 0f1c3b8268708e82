/** A request and its attempts, as a race through the endpoints of a chain has them. */
import type { Abort, Signal } from './abort.ts'
import type { Send } from './calls.ts'
import type { RpcError } from './errors.ts'
import type { HedgeBudget } from './hedges.ts'
import type { Priority } from './priority.ts'
import type { Upstream } from './upstream.ts'

/** A call to an endpoint, once it is known which one and by when. */
export type Task<T> = (upstream: Upstream, send: Send) => Promise<T>

export type Work = {
  /** Requests of a kind take about as long as each other: the method, mostly. */
  readonly kind: string
  readonly priority: Priority
  /** For one attempt, from when it is sent. */
  readonly attemptMs: number
  /** For all of them together. */
  readonly totalMs: number
  readonly signals: readonly (Signal | undefined)[]
}

/** State that all requests of a chain share. */
export type Course = {
  readonly upstreams: readonly Upstream[]
  readonly hedges: HedgeBudget
  /** Milliseconds after which a node that lags behind may have caught up. */
  readonly momentMs: () => number
  readonly onFailure: (upstream: Upstream, error: RpcError) => void
  readonly onExtra: (kind: 'retry' | 'hedge', upstream: Upstream) => void
}

/** An attempt under way. */
export type Runner = {
  readonly upstream: Upstream
  readonly send: Send
  readonly controller: Abort
  readonly startedAt: number
  timer: NodeJS.Timeout | undefined
}
