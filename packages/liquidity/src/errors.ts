import { CodedError } from '@sluice/chains'

/**
 * NOT_READY: no block has been read yet. BEHIND: the block asked for did not come in time. STOPPED: the market was
 * stopped. REORGED: the block that was read is gone, and so were
 * those in its place. BUSY: too much waits to be done in the background. BAD_SNAPSHOT: a file is not a snapshot of this chain that this
 * version reads. BAD_POOL_LIST: bytes are not a list of pools.
 */
export type MarketErrorCode = 'NOT_READY' | 'BEHIND' | 'STOPPED' | 'REORGED' | 'BUSY' | 'BAD_SNAPSHOT' | 'BAD_POOL_LIST'

export class MarketError extends CodedError<MarketErrorCode> {
  override readonly name = 'MarketError'
}
