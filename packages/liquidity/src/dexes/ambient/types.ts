/** State and identity of Ambient pools. */

/** Pool key without the tokens. */
export type AmbientFixed = {
  /** Pool type. */
  readonly poolIdx: number
}

/**
 * A tick at which liquidity changes. When a rising price crosses it, the bids are added to the liquidity, and the asks
 * are removed. A lot is 1,024 units of liquidity. The lowest bit of a lot count is a flag (`KNOCKOUT`).
 */
export type AmbientLevel = readonly [tick: number, bidLots: bigint, askLots: bigint]

/**
 * State of a pool. A root is a √price: √(base / quote) with 64 fractional bits. Growth rates have 48 fractional bits.
 */
export type AmbientState = {
  /** Fee in parts per million. */
  readonly feeRate: bigint
  /** Protocol's part of the fee, in units of 1/256. */
  readonly protocolTake: bigint
  /** √price now. */
  readonly priceRoot: bigint
  /** Ambient liquidity before its growth by fees. It covers all prices. */
  readonly ambientSeeds: bigint
  /** Concentrated liquidity at the price. */
  readonly concLiq: bigint
  /** Growth factor of ambient liquidity minus one. */
  readonly seedDeflator: bigint
  /** Accumulated fees of concentrated liquidity: ambient seeds per unit of liquidity. */
  readonly concGrowth: bigint
  /** Levels in ascending order of ticks. */
  readonly levels: readonly AmbientLevel[]
  /**
   * √price that was read on chain, in a state after quoted swaps. The price limit of every swap is relative to it.
   * Absent in a state that was read.
   */
  readonly readRoot?: bigint
  /** Set if a quoted swap crossed knockout liquidity, whose effect is unknown. */
  readonly knockedOut?: true
}
