import type { RpcError, RpcEvent } from '@sluice/rpc'

/** Events of a chain, told to whoever counts them. */
export type QuotingEvent =
  /** `outdated` by a new block or `reorged` away, a quote is made again. */
  | { readonly kind: 'quote'; readonly how: 'made' | 'shared' | 'outdated' | 'reorged' }
  /** A route was simulated. */
  | {
      readonly kind: 'trial'
      readonly outcome: 'exact' | 'adjusted' | 'shortfall' | 'reverted'
      /** Missing from the settled output; undefined where the simulation reverted. */
      readonly shortfallPpm: bigint | undefined
      /** Basis points below the upper bound; null where that is not known. */
      readonly optimalityGapBps: number | null
    }
  | { readonly kind: 'rpc'; readonly event: RpcEvent }
  /** @see RpcOptions.onFailure */
  | { readonly kind: 'rpc-failure'; readonly endpoint: number; readonly code: RpcError['code'] }

export type QuotingListener = (event: QuotingEvent) => void

type Line = (fields: object, message: string) => void

/** Receiver of lines for operators; a logger of pino is one. */
export type Log = { readonly info: Line; readonly warn: Line; readonly error: Line }
