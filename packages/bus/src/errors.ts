import { CodedError } from '@sluice/chains'

/**
 * AWAY: no connection to Redis, or it did not answer in time. FULL: it refuses writes at its `maxmemory`. LOST: another process holds the lease. CHANGED: Redis holds another
 * state than was published last. DAMAGED: what Redis holds is not whole, and cannot be joined.
 */
export type BusErrorCode = 'AWAY' | 'FULL' | 'LOST' | 'CHANGED' | 'DAMAGED'

export class BusError extends CodedError<BusErrorCode> {
  override readonly name = 'BusError'
}
