/** What never changes of a pool beside its tokens. */
export type AmbientFixed = {
  /** Kind of pool, with the tokens its key. */
  readonly poolIdx: number
}

/** What crossing a tick adds to the liquidity in range, in lots of 1,024: coming from below, and from above. */
export type AmbientLevel = readonly [tick: number, bidLots: bigint, askLots: bigint]

/** Prices are square roots of base for quote with 64 fractional bits, rates of growth have 48. */
export type AmbientState = {
  /** Millionths. */
  readonly feeRate: bigint
  /** Part of the fee that is the protocol's, of 256. */
  readonly protocolTake: bigint
  readonly priceRoot: bigint
  /** Liquidity of all prices, before what it grew by. */
  readonly ambientSeeds: bigint
  readonly concLiq: bigint
  /** What a seed grew by, beyond one. */
  readonly seedDeflator: bigint
  readonly concGrowth: bigint
  /** With rising ticks. */
  readonly levels: readonly AmbientLevel[]
  /** Set once a swap passed liquidity that is taken out when it is passed: what is left is not known. */
  readonly knockedOut?: true
}
