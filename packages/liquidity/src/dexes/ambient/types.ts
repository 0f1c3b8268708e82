/** Pool key without the tokens. */
export type AmbientFixed = {
  /** Pool type. */
  readonly poolIdx: number
}

/** Liquidity added when the price crosses a tick upward (bids), and removed (asks), in lots of 1,024. */
export type AmbientLevel = readonly [tick: number, bidLots: bigint, askLots: bigint]

/**
 * State of a pool. Roots are √prices, √(base / quote) with 64 fractional bits; growth rates have 48 fractional bits.
 */
export type AmbientState = {
  /** Fee in parts per million. */
  readonly feeRate: bigint
  /** Protocol's part of the fee, in units of 1/256. */
  readonly protocolTake: bigint
  readonly priceRoot: bigint
  /** Ambient liquidity, which covers all prices, before its growth by fees. */
  readonly ambientSeeds: bigint
  /** Concentrated liquidity at the price. */
  readonly concLiq: bigint
  /** Growth factor of ambient liquidity, minus one. */
  readonly seedDeflator: bigint
  /** Fees of concentrated liquidity: ambient seeds per unit of liquidity. */
  readonly concGrowth: bigint
  /** In ascending order of ticks. */
  readonly levels: readonly AmbientLevel[]
  /**
   * √price before the first quoted swap; absent in a state that was read. The price limit of a step is relative to it.
   */
  readonly readRoot?: bigint
  /** Set if a quoted swap crossed knockout liquidity, whose effect is unknown. */
  readonly knockedOut?: true
}
