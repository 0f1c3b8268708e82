/** Pool key without the tokens. */
export type AmbientFixed = {
  /** Pool type. */
  readonly poolIdx: number
}

/** Liquidity added when the price crosses a tick upward (bids), and removed (asks), in lots of 1,024. */
export type AmbientLevel = readonly [tick: number, bidLots: bigint, askLots: bigint]

/** State of a pool. Prices are √(base / quote) with 64 fractional bits; growth rates have 48. */
export type AmbientState = {
  /** Fee in parts per million. */
  readonly feeRate: bigint
  /** Protocol's part of the fee, in units of 1/256. */
  readonly protocolTake: bigint
  readonly priceRoot: bigint
  /** Liquidity over all prices, before growth. */
  readonly ambientSeeds: bigint
  readonly concLiq: bigint
  /** Growth of ambient liquidity beyond one. */
  readonly seedDeflator: bigint
  readonly concGrowth: bigint
  /** Ascending ticks. */
  readonly levels: readonly AmbientLevel[]
  /** √price of the state that was read, set by the first quoted swap: step limits count from it. */
  readonly readRoot?: bigint
  /** Set after a swap crossed knockout liquidity, whose effect is unknown. */
  readonly knockedOut?: true
}
