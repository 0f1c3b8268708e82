/** Errors of the bus and their codes. */
import { CodedError } from '@sluice/chains'

/**
 * AWAY: no connection to Redis, no reply in time, or a connection to a replica.
 * FULL: Redis rejects writes because of its `maxmemory`, because it cannot write to its disk, or because it has fewer
 * replicas than its `min-replicas-to-write`.
 * CLUSTER: Redis runs in cluster mode, which is not supported.
 * LOST: another process holds the lease.
 * CHANGED: Redis holds another state than the one published last.
 * DAMAGED: the state in Redis is incomplete and cannot be joined.
 */
export type BusErrorCode = 'AWAY' | 'FULL' | 'CLUSTER' | 'LOST' | 'CHANGED' | 'DAMAGED'

/** Failure of Redis, or of a state in it. */
export class BusError extends CodedError<BusErrorCode> {
  override readonly name = 'BusError'
}
