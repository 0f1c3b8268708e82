/** Events of a chain for metrics, and the logger interface. */
import type { RpcError, RpcEvent } from '@sluice/rpc'

/** An event of a chain, for a listener that counts it. */
export type QuotingEvent =
  /** A quote was computed, shared with an identical request, or repeated because its block was outdated or reorged. */
  | { readonly kind: 'quote'; readonly how: 'made' | 'shared' | 'outdated' | 'reorged' }
  /** A route was simulated. */
  | {
      readonly kind: 'trial'
      /**
       * `exact`: paid at least the expected output. `adjusted`: paid slightly less, so the minimum output was lowered.
       * `shortfall`: paid too little.
       */
      readonly outcome: 'exact' | 'adjusted' | 'shortfall' | 'reverted'
      /** Shortfall of the simulated against the expected output in ppm; undefined if the simulation reverted. */
      readonly shortfallPpm: bigint | undefined
      /** Gap to the upper bound in basis points; null if there is no bound. */
      readonly optimalityGapBps: number | null
    }
  | { readonly kind: 'rpc'; readonly event: RpcEvent }
  /** @see RpcOptions.onFailure */
  | { readonly kind: 'rpc-failure'; readonly endpoint: number; readonly code: RpcError['code'] }

/** Receives the events of a chain. */
export type QuotingListener = (event: QuotingEvent) => void

/** Writes one line of the log. */
type Line = (fields: object, message: string) => void

/** Logger for operators; a pino logger implements it. */
export type Logger = { readonly info: Line; readonly warn: Line; readonly error: Line }
