/** Error class and error codes of the liquidity package. */
import { CodedError } from '@sluice/chains'

/**
 * Error codes. NOT_READY: no block has been read yet. BEHIND: the requested block did not arrive before the time limit.
 * STOPPED: the market was stopped. REORGED: the block being read was reorged away, and so were its replacements, in all
 * retries. BUSY: the background queue is full. BAD_SNAPSHOT: the file is not a snapshot of this chain in a format that
 * this version reads. BAD_POOL_LIST: the bytes are not a valid pool list.
 */
export type MarketErrorCode = 'NOT_READY' | 'BEHIND' | 'STOPPED' | 'REORGED' | 'BUSY' | 'BAD_SNAPSHOT' | 'BAD_POOL_LIST'

/** Error of a market or of its files. */
export class MarketError extends CodedError<MarketErrorCode> {
  override readonly name = 'MarketError'
}
