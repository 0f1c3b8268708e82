/** A sampled quote of a venue. */
export type QuoteSample = readonly [amountIn: bigint, amountOut: bigint]

/** State of a venue for one pair. */
export type PropAmmState = {
  /** Samples by input token, ascending; empty if the direction is not traded now. */
  readonly samples: readonly [readonly QuoteSample[], readonly QuoteSample[]]
  /** Amount of each token sold by quoted swaps since the samples were taken. */
  readonly sold: readonly [bigint, bigint]
}
