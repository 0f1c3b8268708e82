/** One of the two tokens of a trade, as pool and oracle tell of it. */
export type WoofiToken = {
  /** Base units that the pool counts as its own. */
  readonly reserve: bigint
  /** Hundred-thousandths of the trade's worth. */
  readonly feeRate: bigint
  /** The furthest that a trade may move the price, of 10^18; 0 for the quote token. */
  readonly maxGamma: bigint
  /** The most that a trade may be worth, in base units of the quote token. */
  readonly maxNotional: bigint
  /** Quote tokens for one of these, with `priceUnit` as one; 0 for the quote token. */
  readonly price: bigint
  /** Parts of 10^18. */
  readonly spread: bigint
  /** The part of 10^18 that the price moves for each quote token of a trade, of 10^18. */
  readonly coeff: bigint
  /** False where the oracle does not stand by its price. */
  readonly feasible: boolean
  /** 10^decimals of the token. */
  readonly unit: bigint
  /** 10^decimals of the price. */
  readonly priceUnit: bigint
}

/** Two tokens of one pool. */
export type WoofiV2State = {
  readonly paused: boolean
  /** The token that all are priced in: the first, the second, or neither of the two. */
  readonly quoteIndex: 0 | 1 | 2
  /** 10^decimals of that token. */
  readonly quoteUnit: bigint
  readonly tokens: readonly [WoofiToken, WoofiToken]
}
