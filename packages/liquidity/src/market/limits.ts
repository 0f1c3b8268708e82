/**
 * Limits of what strangers can make a market remember. Least recently used goes first; everything is found again when
 * it is asked for.
 */
export type MarketLimits = {
  /** Tokens followed beside those that the chain's file names. */
  readonly tokens: number
  /** Milliseconds without a request after which a token that the chain's file does not name is followed no longer. */
  readonly tokenIdleMs: number
  /** Pools followed: above that, tokens asked for longest ago are dropped until it holds again. */
  readonly pools: number
  /** Pools of the very same tokens: anyone can make as many as he pays gas for. */
  readonly poolsOfSameTokens: number
  /** Pools met in past logs whose tokens nobody asks for. */
  readonly listed: number
  /** Pools in the file: above that, those that memory has dropped leave it; above `listed` and `pools` together. */
  readonly saved: number
  /** Pairs that need not be asked for again. */
  readonly pairs: number
  /** Addresses known to be tokens, and as many known to be none. */
  readonly facts: number
  /** Milliseconds for which an address stays known to be no token; whoever swaps it looks again at every block. */
  readonly noTokenMs: number
  /** Tokens and pairs that wait to be looked for in the background; more are turned away. */
  readonly queued: number
  /** Tokens that are followed for the sake of one that is asked for, since pools trade the two: anyone can make such pools. */
  readonly neighbors: number
}

export const marketLimits: MarketLimits = {
  tokens: 5_000,
  tokenIdleMs: 3_600_000,
  pools: 150_000,
  poolsOfSameTokens: 500,
  listed: 100_000,
  saved: 300_000,
  pairs: 200_000,
  facts: 50_000,
  noTokenMs: 600_000,
  queued: 2_000,
  neighbors: 4,
}
