/** Rest of a pool's key, beside its tokens. */
export type AmbientFixed = {
  /** Kind of pool, with the tokens its key. */
  readonly poolIdx: number
}

/** Liquidity that comes into range where the price crosses a tick from below, and from above, in lots of 1,024. */
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
  /** Growth of a seed, beyond one. */
  readonly seedDeflator: bigint
  readonly concGrowth: bigint
  /** With rising ticks. */
  readonly levels: readonly AmbientLevel[]
  /** Price at which it was read, set once a swap that is only quoted moved it: limits of steps count from it. */
  readonly readRoot?: bigint
  /** Set once a swap passed liquidity that is taken out when it is passed: what is left is not known. */
  readonly knockedOut?: true
}
