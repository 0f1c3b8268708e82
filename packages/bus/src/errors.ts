import { CodedError } from '@sluice/chains'

/**
 * AWAY: no connection to Redis, or it did not answer in time. LOST: another process holds the lease. CHANGED: Redis holds another
 * state than was published last. DAMAGED: what Redis holds is not whole, and cannot be joined.
 */
export type BusErrorCode = 'AWAY' | 'LOST' | 'CHANGED' | 'DAMAGED'

export class BusError extends CodedError<BusErrorCode> {
  override readonly name = 'BusError'
}
