/**
 * Limits of everything that untrusted requests can make a market store. Above a limit, the least recently used entries
 * are evicted; a later request adds them again.
 */
export type MarketLimits = {
  /** Followed tokens, in addition to those in the chain's file. */
  readonly tokens: number
  /** Milliseconds without a request after which a token that the chain's file does not name is dropped. */
  readonly tokenIdleMs: number
  /** Followed pools; if there are more, the least recently requested tokens are dropped. */
  readonly pools: number
  /**
   * Pools of one DEX with identical tokens that logs announced. Anyone can create many such pools for the price of gas.
   */
  readonly poolsOfSameTokens: number
  /** Pools of one DEX with identical tokens that a getter lists and that are read at every block. */
  readonly silentPoolsOfSameTokens: number
  /** Pools found by the log scan, including those of tokens that nobody has requested. */
  readonly listedPools: number
  /**
   * Pools in the database. If there are more, pools that are no longer in memory are deleted. Must exceed `listedPools`
   * plus `pools`.
   */
  readonly savedPools: number
  /** Pairs whose pools are known to be in memory. */
  readonly pairs: number
  /**
   * Milliseconds after which a requested pair is searched again, in the background, for pools that no log announces.
   */
  readonly pairSearchMs: number
  /** Cached addresses that are tokens. The same limit applies separately to cached addresses that are not tokens. */
  readonly tokenFacts: number
  /**
   * Milliseconds for which an address is cached as not a token; swap requests check the address again at every block.
   */
  readonly noTokenMs: number
  /** Queued background searches. */
  readonly queuedSearches: number
  /** Neighbors (tokens in a common pool) per requested token, which are followed as long as the token. */
  readonly neighbors: number
}

/** Default limits. */
export const defaultMarketLimits: MarketLimits = {
  tokens: 5_000,
  tokenIdleMs: 3_600_000,
  pools: 150_000,
  poolsOfSameTokens: 500,
  silentPoolsOfSameTokens: 32,
  listedPools: 100_000,
  savedPools: 300_000,
  pairs: 200_000,
  pairSearchMs: 600_000,
  tokenFacts: 50_000,
  noTokenMs: 600_000,
  queuedSearches: 2_000,
  neighbors: 4,
}
