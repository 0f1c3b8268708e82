/**
 * NOT_READY: no block has been read yet. BEHIND: the block asked for did not come in time. STOPPED: the market was
 * stopped. BAD_SNAPSHOT: a file is not a snapshot of this chain that this version reads.
 */
export type MarketErrorCode = 'NOT_READY' | 'BEHIND' | 'STOPPED' | 'BAD_SNAPSHOT'

export class MarketError extends Error {
  override readonly name = 'MarketError'
  readonly code: MarketErrorCode

  constructor(code: MarketErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
