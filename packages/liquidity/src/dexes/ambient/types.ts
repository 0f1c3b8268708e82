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
  /** In ascending order of ticks. */
  readonly levels: readonly AmbientLevel[]
  /** √price before the first quoted swap; absent in a state that was read. The price limit of a step is relative to it. */
  readonly readRoot?: bigint
  /** Set if a quoted swap crossed knockout liquidity, whose effect is unknown. */
  readonly knockedOut?: true
}
